"""Tricks of address, host and parser."""

from threats.row import POLICY, SANDBOX, SHAPE, Row, amazon, ebay

# fmt: off
E = (
    Row("E1", "names that begin or end like the shop's", "host, userinfo", (
        amazon("host", "https://www.amazon.com.evil.test/dp/B000000001"),
        amazon("host", "https://evil-amazon.com/dp/B000000001"),
        amazon("url.userinfo", "https://www.amazon.com@evil.test/dp/B000000001"),
        amazon("url.userinfo", "https://x:y@www.amazon.com/dp/B000000001"),
    )),
    Row("E2", "other marketplaces than the one of the run", "host", (
        *(amazon("host", f"https://www.amazon.{end}/dp/B000000001")
          for end in ("co.uk", "com.tr", "com.au", "de")),
        ebay("host", "https://www.ebay.de/itm/123456789012"),
    )),
    Row("E3", "other hosts of the shop", "host", (
        ebay("host", "https://m.ebay.com/itm/123456789012"),
        amazon("host", "https://smile.amazon.com/dp/B000000001"),
        amazon("host", "https://read.amazon.com/dp/B000000001"),
        amazon("host", "https://alexa.amazon.com/"),
        amazon("host", "https://amazon.com/dp/B000000001"),
    )),
    Row("E4", "words before the path", "named, path", (
        amazon("never.checkout", "/-/es/gp/buy/spc/handlers/display.html"),
        amazon("path", "/Title-Slug/dp/B000000001/ref=sr_1_1"),
        amazon("path", "/gp/aw/d/B000000001"),
        amazon("path", "/-/es/dp/B000000001"),
    ), (POLICY + "test_a_link_is_rebuilt_and_its_trackers_left_out",)),
    Row("E5", "upper and lower case", "named, path", (
        amazon("never.checkout", "/GP/Buy/x"),
        ebay("never.buy-it-now", "/ws/EBAYisapi.DLL?BINconfirm&item=1"),
        amazon("path", "/DP/B000000001"),
        amazon("url.canonical", "https://WWW.Amazon.com/dp/B000000001"),
    )),
    Row("E6", "characters encoded, once or twice", "named, spelling", (
        amazon("never.checkout", "/gp/%62uy"),
        amazon("never.checkout", "/gp%255cbuy/../buy/x/gp/buy"),
        amazon("never.checkout", "/%2567p/%2562uy/x"),
        amazon("url.canonical", "/x/%2e%2e/dp/B000000001"),
        amazon("url.canonical", "/dp%2fB000000001"),
        amazon("url.canonical", "/dp/B00000000%31"),
        amazon("url.canonical", "/dp/B000000001%00"),
    )),
    Row("E7", "dots, double slashes, backslashes, semicolons, line ends", "spelling", (
        amazon("url.canonical", "/x/../dp/B000000001"),
        amazon("never.checkout", "/dp/../gp/buy"),
        amazon("url.canonical", "//dp/B000000001"),
        amazon("url.characters", "https://www.amazon.com\\dp\\B000000001"),
        amazon("never.checkout", "/dp/B000000001;x=/gp/buy"),
        amazon("url.canonical", "/dp/B000000001;jsessionid=1"),
        amazon("url.characters", "/dp/B000000001\t"),
        amazon("url.characters", "/dp/\nB000000001"),
    )),
    Row("E8", "a dot after the host, upper case, a port", "host, port, spelling", (
        amazon("host", "https://www.amazon.com./dp/B000000001"),
        amazon("url.port", "https://www.amazon.com:444/dp/B000000001"),
        amazon("url.canonical", "https://www.amazon.com:443/dp/B000000001"),
        amazon("url.canonical", "HTTPS://WWW.AMAZON.COM/dp/B000000001"),
    )),
    Row("E9", "letters that look alike", "spelling, host", (
        amazon("url.characters", "https://www.аmazon.com/dp/B000000001"),
        amazon("host", "https://www.xn--mazon-3ve.com/dp/B000000001"),
        amazon("url.characters", "https://www.amazon。com/dp/B000000001"),
    )),
    Row("E10", "numbers for a host, and what answers there", "scheme, host", (
        amazon("url.scheme", "http://169.254.169.254/latest/meta-data/"),
        amazon("url.scheme", "http://2130706433/"),
        amazon("host", "https://0x7f.1/dp/B000000001"),
        amazon("host", "https://[::ffff:127.0.0.1]/dp/B000000001"),
        amazon("host", "https://[::1]/dp/B000000001"),
        amazon("host", "https://localhost./dp/B000000001"),
        amazon("host", "https://127.0.0.1.nip.io/dp/B000000001"),
    ), (SANDBOX + "test_only_private_addresses_are_ones_own",)),
    Row("E11", "a name that means another address later", "the address is pinned", (),
        (SANDBOX + "test_a_name_that_moves_is_still_reached_where_it_was",)),
    Row("E12", "files and the browser's own pages", "scheme", (
        amazon("url.scheme", "file:///etc/passwd"),
        amazon("url.scheme", "chrome://settings/"),
        amazon("url.scheme", "devtools://devtools/x"),
        amazon("url.scheme", "ftp://www.amazon.com/dp/B000000001"),
    )),
    Row("E13", "the shop's own addresses that send elsewhere", "named, rebuilt", (
        amazon("never.redirector", "/gp/redirect.html?location=https://x.test/"),
        amazon("never.redirector", "/gp/r.html?U=https://x.test/"),
        amazon("never.redirector", "/sspa/click?url=%2Fdp%2FB000000001"),
        ebay("never.redirector", "https://rover.ebay.com/rover/1/711?mpre=x"),
    ), (POLICY + "test_a_link_is_rebuilt_and_its_trackers_left_out",)),
    Row("E14", "services that fetch what one names", "host", (
        amazon("host", "https://translate.google.com/translate?u=https://www.amazon.com/dp/B000000001"),
        amazon("host", "https://webcache.googleusercontent.com/search?q=cache:x"),
        amazon("host", "https://www-amazon-com.translate.goog/dp/B000000001"),
    )),
    Row("E15", "a purchase in the parameters of a page that is read", "named, params", (
        amazon("never.add-to-cart", "/s?k=x&submit.addToCart=1"),
        amazon("never.buy-now", "/dp/B000000001?smid=x&buyNow=1"),
        amazon("params", "/dp/B000000001?smid=x"),
        amazon("params", "/s?k=x&k=y"),
        amazon("params", "/s?k=x&%70age=2"),
    )),
    Row("E16", "another method, named in a header or a parameter", "params; headers are fixed", (
        amazon("params", "/dp/B000000001?_method=POST"),
    ), (SHAPE + "test_there_is_no_value_that_means_purchase",
        "tests/test_wall.py::test_what_says_two_things_at_once_is_refused",
        "tests/test_wall.py::test_only_the_headers_of_a_reader_leave")),
    Row("E17", "plain HTTP", "scheme", (
        amazon("url.scheme", "http://www.amazon.com/dp/B000000001"),
        ebay("never.buy-it-now", "http://offer.ebay.com/x"),
    )),
    Row("E18", "words to search for that are more than words", "adapter, params, length", (
        amazon("url.characters", "/s?k=x\r\nHost: evil.test"),
        amazon("params", "/s?k=x%00y"),
        amazon("params", "/s?k=x%0d%0ay"),
        amazon("url.length", "/s?k=" + "x" * 10_000),
        amazon("read.results", "/s?k=%2Fgp%2Fbuy+site%3Aevil.test+%26k%3Dy"),
    ), ("tests/threats/test_refusals.py::test_any_words_become_one_parameter",)),
    Row("E19", "what stands after a #", "fragment", (
        amazon("url.fragment", "/dp/B000000001#aod=1"),
        amazon("url.fragment", "/dp/B000000001#/checkout"),
    )),
)
