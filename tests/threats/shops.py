"""What real shops and those they pay with are asked for by a purchase, a bid or a change."""

from threats.row import BROWSER, GUARD, INJECTION, POLICY, SHAPE, Row, amazon, ebay

# fmt: off
A = (
    Row("A1", "Buy Now is posted", "named", (
        amazon("never.buy-now", "/checkout/entry/buynow?asin=B000000001&offeringID=x&buyNow=1", "POST"),
    )),
    Row("A2", "Buy Now as a plain link", "named", (
        amazon("never.buy-now", "/checkout/entry/buynow?asin=B000000001&quantity=1"),
    )),
    Row("A3", "the fast checkout in a frame or by script", "named", (
        amazon("never.buy-now", "/checkout/turbo-initiate?temporaryAddToCart=1", "POST", "xhr"),
        amazon("never.buy-now", "/checkout/turbo-initiate?pipelineType=turbo", "POST", "other"),
        amazon("never.buy-now", "/checkout/turbo-initiate?pipelineType=turbo", "GET", "other"),
    )),
    Row("A4", "the order is placed", "named", (
        amazon("never.checkout", "/checkout/spc/place-order?ref_=x", "POST"),
    )),
    Row("A5", "the old checkout, whose addresses do not say so", "named", (
        amazon("never.checkout", "/gp/buy/spc/handlers/static-submit-decoupled.html", "POST"),
        amazon("never.checkout", "/gp/buy/payselect/handlers/display.html"),
        amazon("never.checkout", "/gp/buy/shipoptionselect/handlers/display.html"),
    )),
    Row("A6", "entrances of the checkout, by link", "named", (
        amazon("never.buy-now", "/gp/checkoutportal/enter-checkout.html?buyNow=1&ASIN.1=B000000001"),
        amazon("never.checkout", "/gp/cart/desktop/go-to-checkout.html/ref=ox_sc_proceed?x=1"),
    )),
    Row("A7", "a link that fills the cart, directly or after a redirect", "named, hops", (
        amazon("never.add-to-cart", "/gp/aws/cart/add.html?ASIN.1=B000000001&Quantity.1=1"),
        amazon("never.add-to-cart", "/associates/addtocart?ASIN.1=B000000001"),
    ), (GUARD + "test_a_hop_that_is_not_allowed_is_never_sent",)),
    Row("A8", "the buy box's form, under the path of product pages", "named, path", (
        amazon("never.add-to-cart", "/gp/product/handle-buy-box/ref=dp_start-bbf_1_glance", "POST"),
        amazon("never.add-to-cart", "/gp/product/handle-buy-box/ref=dp_start-bbf_1_glance"),
        amazon("path", "/gp/product/B000000001"),
    )),
    Row("A9", "add to cart, from a list of results too", "named", (
        amazon("never.add-to-cart", "/cart/add-to-cart/ref=mw_dp_buy_crt", "POST"),
        amazon("never.add-to-cart", "/cart/add-to-cart?ref=sr_atc_1"),
    )),
    Row("A10", "the cart's interface on another host of the shop", "named, host", (
        amazon("never.add-to-cart",
               "https://data.amazon.com/api/marketplaces/A1/cart/carts/retail/items", "POST", "xhr"),
        amazon("host", "https://data.amazon.com/api/marketplaces/ATVPDKIKX0DER/items"),
    )),
    Row("A11", "a cart that is filled by looking at it", "named", (
        amazon("never.add-to-cart", "/cart/smart-wagon?newItems=x"),
    )),
    Row("A12", "a subscription: another button of the same form", "named, method", (
        amazon("never.add-to-cart", "/gp/product/handle-buy-box/ref=dp_x?submit.rcx-subscribe=1", "POST"),
        amazon("never.subscribe", "/auto-deliveries/subscriptionList"),
    ), (SHAPE + "test_there_is_no_value_that_means_purchase",)),
    Row("A13", "digital goods, bought by one click and no checkout", "named", (
        amazon("never.buy-now", "/gp/digital/fiona/buy.html", "POST"),
        amazon("never.buy-now", "/kindle/one-click-buy?asin=B000000001", "POST", "xhr"),
    )),
    Row("A14", "a trial membership in between", "named", (
        amazon("never.subscribe", "/gp/prime/pipeline/confirm"),
        amazon("never.subscribe", "/hp/wlp/pipeline/actions"),
    )),
    Row("A15", "a coupon is clipped", "named", (
        amazon("never.coupon", "/promotion/redeem/x", "POST", "xhr"),
    )),
    Row("A16", "a wish list or registry is added to", "named", (
        amazon("never.wish-list", "/hz/wishlist/additemtolist?ie=UTF8", "POST"),
    )),
    Row("A17", "a vote, a report, a shop that is followed", "named, method", (
        amazon("never.review", "/hz/reviews-render/ajax/vote/x", "POST", "xhr"),
        amazon("method", "/follow/x", "POST", "xhr"),
        amazon("resource", "/follow/x", "GET", "xhr"),
    )),
    Row("A18", "addresses, cards, gift cards", "named", (
        amazon("never.account", "/a/addresses/add"),
        amazon("never.account", "/cpe/yourpayments/wallet"),
        amazon("never.account", "/gp/css/gc/balance"),
    )),
    Row("A19", "the place of delivery, language and currency", "named", (
        amazon("never.location", "/portal-migration/hz/glow/address-change", "POST", "xhr"),
        amazon("never.account", "/customer-preferences/save-settings", "POST"),
    )),
    Row("A20", "orders are cancelled or sent back, the user signed out, by link", "named", (
        amazon("never.order", "/your-orders/order-cancel?orderID=1"),
        amazon("never.order", "/spr/returns/x"),
        amazon("never.sign-in", "/gp/flex/sign-out.html"),
    )),
    Row("A21", "a warranty that is offered once something is in the cart", "named; no cart is filled", (
        amazon("never.add-to-cart", "/gp/product/handle-buy-box/ref=x?warranty=1", "POST"),
    ), (POLICY + "test_only_get_and_head_leave",)),
)

B = (
    Row("B1", "Buy It Now, a link to a host of its own", "named, host", (
        ebay("never.checkout", "https://pay.ebay.com/rxo?action=create&rypsvc=true&item=1&quantity=1"),
        ebay("never.checkout", "https://pay.ebay.de/x"),
        ebay("never.cart", "https://cart.ebay.com/"),
        ebay("never.sign-in", "https://signin.ebay.com/"),
    )),
    Row("B2", "the old forms to buy and to bid, whose verb is a bare word of the query", "named, scheme", (
        ebay("never.buy-it-now", "http://offer.ebay.com/ws/eBayISAPI.dll?BinConfirm&item=1"),
        ebay("never.buy-it-now", "https://www.ebay.com/ws/eBayISAPI.dll?MakeBid&item=1&maxbid=12.00"),
    )),
    Row("B3", "a bid begun by a parameter of an item's own page", "named, params", (
        ebay("never.bid", "/itm/123456789012?cta=placebid"),
        ebay("params", "/itm/123456789012?ViewItem="),
    )),
    Row("B4", "a bid confirmed in the background", "named", (
        ebay("never.buy-it-now", "/bfl/confirm/123456789012", "POST", "xhr"),
        ebay("never.buy-it-now", "/bfl/view", "GET", "xhr"),
    )),
    Row("B5", "a best offer", "named", (ebay("never.offer", "/bo/makeoffer/123456789012"),)),
    Row("B6", "add to cart: the very address of the button's link", "named, host", (
        ebay("never.add-to-cart", "https://cart.payments.ebay.com/sc/add?item=iid:1,qty:1,vid:2"),
    )),
    Row("B7", "the watch list, by a link on each result", "named", (
        ebay("never.watch", "/myb/WatchListAdd?item=123456789012&srt=x"),
    )),
    Row("B8", "a seller or a search is saved, or followed", "named, params", (
        ebay("never.review", "/fdbk/leave_feedback"),
        ebay("never.watch", "/myb/SavedSearches"),
        ebay("params", "/sch/i.html?_nkw=kettle&_saved=1"),
    )),
    Row("B9", "a listing is ended, or one like it begun", "named, path", (
        ebay("never.buy-it-now", "/bfl/end?item=1"),
        ebay("never.sell", "/sl/sell"),
    )),
    Row("B10", "a gift code is redeemed", "named, host", (
        ebay("never.checkout", "https://pay.ebay.com/rxo/ajax?action=addIncentive", "POST", "xhr"),
    )),
    Row("B11", "the old checkout, two names below the shop's", "named, host", (
        ebay("never.checkout", "https://checkout.payments.ebay.com/ws/eBayISAPI.dll?XOProcessor&x=1"),
    )),
    Row("B12", "a tracker that sends on to any address", "named, hops", (
        ebay("never.redirector", "https://rover.ebay.com/rover/1/711?mpre=https://x.test/"),
    ), (GUARD + "test_a_hop_that_is_not_allowed_is_never_sent",)),
    Row("B13", "what a seller writes into the description: forms, links, styles", "read as text", (
        ebay("resource", "https://vi.vipr.ebaydesc.com/itmdesc/123456789012", "GET", "script"),
        ebay("method", "https://vi.vipr.ebaydesc.com/itmdesc/123456789012", "POST"),
    ), (INJECTION + "test_a_sellers_description_is_read_as_text",)),
)

C = (
    Row("C1", "another party's checkout", "host", (
        amazon("never.checkout", "https://www.paypal.com/checkout/x"),
        amazon("host", "https://www.paypal.com/checkoutnow?token=x"),
        amazon("host", "https://www.paypalobjects.com/x", "GET", "other"),
    )),
    Row("C2", "payment sheets of the browser and of phones", "host; the browser has none", (
        amazon("never.checkout", "https://pay.google.com/gp/p/ui/pay"),
        amazon("host", "https://apple-pay-gateway.apple.com/paymentservices/startSession", "GET", "xhr"),
    ), (BROWSER + "test_a_script_does_not_run",)),
    Row("C3", "buy now, pay later", "host", (
        amazon("host", "https://js.klarna.com/web-sdk/x"),
        amazon("host", "https://www.affirm.com/apps"),
        amazon("host", "https://portal.afterpay.com/x"),
    )),
    Row("C4", "Amazon's own payment on other shops", "named, host", (
        amazon("never.checkout", "https://pay.amazon.com/jr/your-account/ba"),
        amazon("never.checkout", "https://payments.amazon.de/overview"),
    )),
    Row("C5", "passkeys and filled-in passwords", "a profile that is new for each page", (),
        (BROWSER + "test_nothing_is_remembered_from_page_to_page",)),
    Row("C6", "signing in by another party", "host", (
        amazon("host", "https://accounts.google.com/gsi/iframe/select"),
        amazon("never.sign-in", "/ap/signin?openid.return_to=x"),
    )),
)
