"""What the shop sells: invented products, some in variants, one sold out, one without a price."""

from decimal import Decimal
from typing import NamedTuple

from oscar.core.loading import get_model

Category = get_model("catalogue", "Category")
Product = get_model("catalogue", "Product")
ProductClass = get_model("catalogue", "ProductClass")
Partner = get_model("partner", "Partner")
StockRecord = get_model("partner", "StockRecord")
Country = get_model("address", "Country")

_SIZES = ("small", "large")
_COLOURS = ("red", "green", "slate")


class Ware(NamedTuple):
    name: str
    category: str
    price: str | None
    stock: int
    is_varied: bool = False


WARES = (
    Ware("Harrow enamel kettle", "Kitchen", "34.50", 20, True),
    Ware("Fernhill stoneware mug", "Kitchen", "8.99", 12, True),
    Ware("Tarn copper saucepan", "Kitchen", "1249.00", 3),
    Ware("Sold-out kettle warmer", "Kitchen", "12.00", 0),
    Ware("Kettle without a price", "Kitchen", None, 0),
    Ware("Ridgeway wool blanket", "Home", "79.95", 7, True),
    Ware("Quayside desk lamp", "Home", "45.00", 9),
    *(Ware(f"Kettle descaler No. {number}", "Kitchen", f"{number}.25", 50) for number in range(1, 25)),
)


def seed() -> None:
    """Fill an empty database."""
    Country.objects.create(
        iso_3166_1_a2="GB",
        iso_3166_1_a3="GBR",
        name="Great Britain",
        printable_name="UK",
        is_shipping_country=True,
    )
    partner = Partner.objects.create(name="Windward Trading")
    goods = ProductClass.objects.create(name="Goods", requires_shipping=True, track_stock=True)
    goods.attributes.create(name="Colour", code="colour", type="text")
    goods.attributes.create(name="Size", code="size", type="text")
    categories = {name: Category.add_root(name=name) for name in ("Kitchen", "Home")}
    for number, ware in enumerate(WARES):
        product = Product.objects.create(
            title=ware.name,
            upc=f"50{number:06}",
            structure="parent" if ware.is_varied else "standalone",
            product_class=goods,
            description=f"<p>{ware.name}, made in a workshop by the sea.<ul><li>Keeps for years.</li></ul>",
        )
        product.categories.add(categories[ware.category])
        if not ware.is_varied:
            _stock(product, partner, ware.price, ware.stock)
            continue
        for place, (colour, size) in enumerate((c, s) for c in _COLOURS for s in _SIZES):
            child = Product(
                title=f"{ware.name}, {colour}, {size}",
                upc=f"{product.upc}-{place}",
                structure="child",
                parent=product,
            )
            child.attr.colour, child.attr.size = colour, size
            child.save()
            price = Decimal(ware.price) + (10 if size == "large" else 0)
            _stock(child, partner, str(price), 0 if (colour, size) == ("slate", "large") else ware.stock)


def _stock(product: Product, partner: Partner, price: str | None, stock: int) -> None:
    if price is not None:
        StockRecord.objects.create(
            product=product,
            partner=partner,
            partner_sku=product.upc,
            price_currency="GBP",
            price=Decimal(price),
            num_in_stock=stock,
        )
