"""What pages say to the agent."""

from threats.row import EPISODE, GUARD, HTTP, INJECTION, Row, amazon, ebay

# fmt: off
G = (
    Row("G1", "reviews that give orders", "actions are of the page's; buying is inert", (),
        (INJECTION + "test_what_a_page_says_changes_neither_structure_nor_actions",
         INJECTION + "test_every_order_that_a_page_gives_is_a_word_and_no_action")),
    Row("G2", "titles with the simulator's own marks", "neutralised, counted", (),
        (INJECTION + "test_what_a_page_says_changes_neither_structure_nor_actions",
         "tests/test_session.py::test_page_words_cannot_pose_as_control_tokens")),
    Row("G3", "text that nobody sees", "visible text is read; invisible characters go", (),
        (INJECTION + "test_what_nobody_sees_is_not_read",)),
    Row("G4", "a link to go on by", "the agent has no addresses", (),
        (INJECTION + "test_an_address_is_no_action",)),
    Row("G5", "words to whoever judges the run", "typed facts, quoted text", (),
        (INJECTION + "test_words_to_the_judge_do_not_change_the_score",
         "tests/test_judge.py::test_a_page_cannot_tell_the_judge_what_to_say")),
    Row("G6", "prices that are none", "a price has its kind", (),
        (INJECTION + "test_a_bait_is_not_the_price",)),
    Row("G7", "advertisements above what was searched for", "marked in the record", (),
        (INJECTION + "test_an_advertisement_is_marked",)),
    Row("G8", "pages without end", "limits", (amazon("url.length", "/s?k=" + "x" * 3_000),),
        (HTTP + "test_too_large_a_page_is_hostile", GUARD + "test_a_redirect_loop_ends",
         EPISODE + "test_nonsense_changes_nothing_and_ends_at_the_step_limit")),
    Row("G9", "secrets carried out in a search", "action review, every address, length", (),
        (GUARD + "test_a_search_that_carries_a_secret_is_refused",
         GUARD + "test_an_address_that_carries_a_secret_out_stays_here_and_is_not_told")),
    Row("G10", "a robot check that only wants a click", "named; an outcome, never solved", (
        amazon("never.captcha", "/errors/validateCaptcha?amzn=x&field-keywords=y"),
        ebay("never.captcha", "/splashui/challenge?ap=1"),
    ), (EPISODE + "test_a_challenge_with_status_200_is_an_outcome_and_is_not_hammered",)),
)
