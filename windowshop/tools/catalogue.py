"""Catalogues that can be searched: one of the user's own on disk, built to hold millions of documents."""

from __future__ import annotations

import gzip
import json
import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol

from pydantic import ValidationError

from windowshop.errors import ConfigError, StorageError
from windowshop.frozen import Frozen
from windowshop.goals.shoppingbench import Document

if TYPE_CHECKING:
    from tantivy import Index, Query, Schema

Sort = Literal["default", "priceasc", "pricedesc", "order"]
DEPTH: Final = 50
"""So many of the best matches are kept, and only those are sorted (the published server's rule)."""

_WORDS = re.compile(r"\w+")


class Search(Frozen):
    """What `find_product` asks for; prices are inclusive and in the catalogue's currency."""

    query: str
    shop_id: str | None = None
    low: float | None = None
    high: float | None = None
    service: tuple[str, ...] = ()
    sort: Sort = "default"


class Catalogue(Protocol):
    """Search products, and look them up by id."""

    def find(self, search: Search) -> list[Document]:
        """Return at most `DEPTH` products, the best first, or as `search.sort` orders those."""

    def view(self, product_ids: Sequence[str]) -> list[Document]:
        """Return the products of these ids, in this order; unknown ids are left out."""


class LocalCatalogue:
    """Search a catalogue folder that `build_catalogue` made: documents in SQLite, BM25 by tantivy.

    Raises `ConfigError` where the folder is no catalogue or the extra `catalogue` is missing.
    """

    def __init__(self, folder: Path) -> None:
        tantivy = _tantivy()
        if not (folder / "documents.db").is_file():
            raise ConfigError(f"{folder} is no catalogue; make one with `windowshop shoppingbench index`")
        self._documents = sqlite3.connect(f"file:{folder / 'documents.db'}?mode=ro", uri=True)
        self._index = tantivy.Index.open(str(folder / "index"))
        self._searcher = self._index.searcher()

    def __len__(self) -> int:
        return int(self._searcher.num_docs)

    def find(self, search: Search) -> list[Document]:
        """Return at most `DEPTH` products, by BM25 over title, variants and attributes."""
        query = _query(search, self._index)
        if query is None:
            return []
        hits = self._searcher.search(query, DEPTH).hits
        ids = [self._searcher.doc(address).get_first("product_id") for _, address in hits]
        return in_order(self.view(ids), search.sort)

    def view(self, product_ids: Sequence[str]) -> list[Document]:
        """Return the products of these ids, in this order; unknown ids are left out."""
        marks = ",".join("?" * len(product_ids))
        rows = self._documents.execute(
            f"SELECT product_id, body FROM documents WHERE product_id IN ({marks})", tuple(product_ids)
        )
        found = {product_id: Document.model_validate_json(body) for product_id, body in rows}
        return [found[product_id] for product_id in product_ids if product_id in found]

    def close(self) -> None:
        """Close the files."""
        self._documents.close()


def build_catalogue(lines: Iterable[Mapping[str, Any]], folder: Path) -> int:
    """Write a catalogue of these documents into a new folder and return how many there are.

    A later document takes the place of an earlier one of the same id. Memory does not grow with the number.
    Raises `ConfigError` naming the line and the field that is wrong.
    """
    tantivy = _tantivy()
    try:
        (folder / "index").mkdir(parents=True)
    except FileExistsError:
        raise ConfigError(f"{folder} holds a catalogue already; choose another folder") from None
    except OSError as error:
        raise StorageError(f"cannot write {folder}: {error.strerror}") from error
    index = tantivy.Index(_schema(), path=str(folder / "index"))
    writer = index.writer(heap_size=100_000_000, num_threads=1)
    with closing(sqlite3.connect(folder / "documents.db")) as documents:
        documents.execute("CREATE TABLE documents (product_id TEXT PRIMARY KEY, body TEXT) WITHOUT ROWID")
        for product in map(_document, enumerate(lines, 1)):
            row = (product.product_id, product.model_dump_json())
            if not documents.execute("INSERT OR IGNORE INTO documents VALUES (?, ?)", row).rowcount:
                documents.execute("REPLACE INTO documents VALUES (?, ?)", row)
                writer.delete_documents_by_term("product_id", product.product_id)
            writer.add_document(tantivy.Document(**_indexed(product)))
        documents.commit()
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    return int(index.searcher().num_docs)


def read_lines(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the documents in a JSON lines file, gzipped or not; raise `ConfigError` naming a bad line."""
    with gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                record = json.loads(line)
            except ValueError as error:
                raise ConfigError(f"{path}:{number}: not JSON: {error}") from None
            if not isinstance(record, dict):
                raise ConfigError(f"{path}:{number}: not an object")
            yield record


def in_order(products: Sequence[Document], sort: Sort) -> list[Document]:
    """Return products as `sort` orders them, those without a price or a count last."""
    if sort == "priceasc":
        return sorted(products, key=lambda each: (each.price is None, each.price or 0))
    if sort == "pricedesc":
        return sorted(products, key=lambda each: (each.price is None, -(each.price or 0)))
    if sort == "order":
        return sorted(products, key=lambda each: (each.sold_count is None, -(each.sold_count or 0)))
    return list(products)


def document(record: Mapping[str, Any]) -> Document:
    """Return the product in a record, a document or an index line; fields that nobody reads are left out."""
    inner = record.get("product", record)
    known = {name: inner[name] for name in Document.model_fields if inner.get(name) is not None}
    for name in ("product_id", "shop_id"):
        if isinstance(known.get(name), int):
            known[name] = str(known[name])
    return Document.model_validate(known)


def _document(numbered: tuple[int, Mapping[str, Any]]) -> Document:
    number, record = numbered
    try:
        return document(record)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"]))
        raise ConfigError(f"document {number}: {field}: {first['msg']}") from None


def _tantivy() -> Any:
    try:
        import tantivy
    except ImportError:
        raise ConfigError("a catalogue needs the extra: pip install 'windowshop[catalogue]'") from None
    return tantivy


def _schema() -> Schema:
    builder = _tantivy().SchemaBuilder()
    builder.add_text_field("product_id", stored=True, tokenizer_name="raw")
    builder.add_text_field("shop_id", tokenizer_name="raw", index_option="basic")
    builder.add_text_field("service", tokenizer_name="raw", index_option="basic")
    builder.add_float_field("price", indexed=True, fast=True)
    builder.add_text_field("contents", tokenizer_name="en_stem", index_option="freq")
    return builder.build()


def _indexed(product: Document) -> dict[str, Any]:
    variants = [value for pairs in product.sku_options.values() for value in pairs.values()]
    attributes = [value for values in product.attributes.values() for value in values]
    fields: dict[str, Any] = {
        "product_id": product.product_id,
        "shop_id": product.shop_id,
        "service": list(product.service),
        "contents": " ".join([product.title, *variants, *attributes]),
    }
    return fields if product.price is None else {**fields, "price": float(product.price)}


def _query(search: Search, index: Index) -> Query | None:
    """Return the words as alternatives that score, and the filters as conditions that do not."""
    tantivy, schema = _tantivy(), index.schema
    words = " ".join(_WORDS.findall(search.query.lower()))
    if not words:
        return None
    must, query = tantivy.Occur.Must, tantivy.Query
    filters = [query.term_query(schema, "service", name) for name in search.service]
    if search.shop_id is not None:
        filters.append(query.term_query(schema, "shop_id", search.shop_id))
    if search.low is not None or search.high is not None:
        price = tantivy.FieldType.Float
        filters.append(query.range_query(schema, "price", price, search.low, search.high))
    parsed, _ = index.parse_query_lenient(words, ["contents"])
    silent = [(must, query.const_score_query(each, 0.0)) for each in filters]
    return query.boolean_query([(must, parsed), *silent])
