"""What a browser does by itself."""

from threats.row import BROWSER, DP, GUARD, SHAPE, Row, amazon, ebay

# fmt: off
D = (
    Row("D1", "an allowed address that redirects into the checkout", "hops",
        (amazon("path", "/gp/r?x=1"),),
        (GUARD + "test_a_hop_that_is_not_allowed_is_never_sent",)),
    Row("D2", "a redirect that repeats a POST", "method", (
        amazon("method", DP, "POST"), amazon("method", "/s?k=kettle", "POST"),
    ), ()),
    Row("D3", "a page that goes elsewhere by itself", "every request is judged", (),
        ()),
    Row("D4", "Enter in a field presses the form's first button", "nobody types into a live page", (),
        (SHAPE + "test_there_is_no_value_that_means_purchase",)),
    Row("D5", "a button with an address of its own", "every request is judged", (
        amazon("never.add-to-cart", "/cart/add-to-cart/ref=x", "POST"),
    ), ()),
    Row("D6", "requests of scripts", "named, method, resource", (
        amazon("never.add-to-cart", "https://data.amazon.com/api/x/cart/carts/retail/items", "POST", "xhr"),
        amazon("resource", DP, "GET", "xhr"),
    ), ()),
    Row("D7", "requests at the moment a page is left", "every request is judged", (
        amazon("method", DP, "POST", "other"),
    ), ()),
    Row("D8", "popups, and forms that open one", "closed; every request is judged", (), ()),
    Row("D9", "frames within frames", "frames are not loaded", (amazon("resource", DP, "GET", "other"),),
        ()),
    Row("D10", "a service worker", "blocked; every request is judged", (),
        ("tests/test_wall.py::test_what_says_two_things_at_once_is_refused",)),
    Row("D11", "workers that are shared", "every request is judged", (), ()),
    Row("D12", "sockets of scripts", "scheme; upgrades are refused", (
        amazon("url.scheme", "wss://www.amazon.com/x", "GET", "other"),
    ), (BROWSER + "test_a_script_does_not_run",)),
    Row("D13", "calls from browser to browser, which are no HTTP", "flags and profile", (),
        (BROWSER + "test_a_script_does_not_run",)),
    Row("D14", "addresses that are fetched on suspicion", "named, resource", (
        ebay("never.watch", "/myb/WatchListAdd?item=1", "GET", "other"),
        amazon("resource", DP, "GET", "other"),
    ), ()),
    Row("D15", "pings, reports, icons; a picture whose address signs out", "named, method, resource", (
        amazon("never.sign-in", "/gp/flex/sign-out.html", "GET", "image"),
        amazon("resource", DP, "GET", "image"),
        amazon("method", "https://m.media-amazon.com/images/I/x.jpg", "POST", "image"),
    ), ()),
    Row("D16", "downloads", "refused", (), ()),
    Row("D17", "addresses that are programs or files", "scheme", (
        amazon("url.characters", "data:text/html,<script>location='https://www.amazon.com/'</script> x"),
        amazon("url.scheme", "data:text/html,x"),
        amazon("url.scheme", "javascript:location='https://www.amazon.com/'"),
        amazon("url.scheme", "blob:https://www.amazon.com/0"),
        amazon("url.scheme", "filesystem:https://www.amazon.com/x"),
        amazon("url.scheme", "view-source:https://www.amazon.com/dp/B000000001"),
    )),
    Row("D18", "a page that was posted is loaded again", "only addresses are visited, by GET", (),
        (SHAPE + "test_there_is_no_value_that_means_purchase",)),
    Row("D19", "a question that is answered by itself", "dialogs are dismissed; scripts are off", (),
        (BROWSER + "test_a_script_does_not_run",)),
    Row("D20", "an address that opens an app", "scheme", (
        amazon("url.scheme", "intent://www.amazon.com/x"),
        amazon("url.scheme", "amazon://dp/B000000001"),
    )),
    Row("D21", "a page that shows another address than its own", "requests are judged, not what is shown", (),
        (GUARD + "test_a_landed_address_is_judged_again", BROWSER + "test_a_script_does_not_run")),
)
