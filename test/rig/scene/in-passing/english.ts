/** A user who writes English in a hurry: rules in the middle of an order, half sentences, typos, lists, and politeness. */
import { sceneWords } from "../scene-words.ts";

export const ENGLISH_IN_PASSING = sceneWords({
	language: "English in passing",
	rules: `
		the csv export chokes on umlauts, pls fix, and «whatever you do keep the column order, accounting imports by position»
		can you have a go at the flaky upload test? «no sleeps in tests tho, wait on the event»
		«we dont do force pushes in this repo», otherwise go ahead and clean up the branch
		I'd be grateful if «the wording on the checkout page could stay exactly as legal wrote it»; the layout is yours to change.
		add the retry to the client (and «nothing that logs the request body pleease, there are card numbers in it»)
		split the big reducer. «smaller commits than yesterday, I couldn't review that»
		«not a fan of mocks, use the real db in tests if at all possible»
		fix the header on mobile. oh and «the old iPad in the warehouse still has to work with it, always check 768px»
		«cloud costs are getting looked at, so nothing that spins up new instances without me knowing»
		three things: rename the job, drop the dead column, and «going forward migrations run in their own PR»
		«Could you possibly answer in plain sentences instead of tables? I read this on my phone.»
		the seed script is fine but «it has to give the same rows every time it runs»
		«lets keep typescript strict even where its a pain»
		«everything user facing goes through t(), hardcoded strings got us in trouble»
		make the sidebar collapsible; «don't bring in another UI lib for that or for anything»
		«Ping me before you touch auth.» Rest of the list you can do without asking.
		write the readme part. «we write for people who never saw kubernetes»
		«only amend your own commits, not Dieter's»
		«if you can't reproduce a bug say so, dont guess a fix»
		the worker is OOMing, look at it. «memory limit stays at 512 though»
		«id rather you fail loudly than return null»
		«use the makefile targets not the raw commands, CI does too»
		thanks! next one: the avatars. «images always need an alt text, we got audited»
		«any sql goes in queries/ so that the DBA can read it»
		speed up the list view, «as long as the sort order doesn't change for the users»
		todo for today:⏎1. fix the off-by-one in paging⏎2. «page size is never above 100»⏎3. test for both
		- «no new env vars w/o adding them to .env.example»⏎- bump the sdk⏎- the 404 page
		«we're on call this week so nothing risky gets merged after 3pm»
		hmm ok. «from my side: no abbreviations in names, we have newcomers»
		«All amounts in the tests should be odd ones like 13.37, round ones hid a bug.»
		please look at the webhook signature check and «compare signatures in constant time there and everywhere else»
		«dont renumber the error codes, support has them in macros»
		the chart lib upgrade - do it, «but the colours are from the brand book and they stay»
		«Tom owns infra/, suggest changes there but don't make them»
		«rebase, dont merge», then fix the conflict in the router
		can u check why the cron didnt fire. «in general prefer boring solutions»
		«if it needs more than ~200 lines come back to me first»
		put the feature behind the flag, «flags get removed again within two sprints, that's the deal»
		«we have customers on a 2G connection, first load has to be under 150kb»
		the pdf is wrong on page 2. «never regenerate the fixtures to make a test green»
		«I know it's tempting but generated code is not edited by hand»
		refactor is ok. «publc function signatures are frozen until the 3.0»
		«tests frist pls, then the code»
		«keep the tone friendly in error messages, no blame on the user»
		do the backfill but «run it in batches so that the replica keeps up, same for every backfill»
		«nobody outside the team should see the word Falcon, it's an internal codename»
		sorry for being picky: «one blank line between methods, two is too many»
		«we deploy from main so main has to be green at all times»
		«no personal data in the fixtures, invent names»
		«and document the why, the what I can read myself»
	`,
	corrections: `
		the importer should pick up files from «/srv/inbox/orders» || hm I checked, «it's /srv/drop/orders they moved it in spring»
		«the vendor id is 40721» for all test calls || «vendor id 40712, I transposed it»
		«Hanna is the one to ask about pricing» || «pricing questions go to Oskar from today, Hanna changed teams»
		make the session last «two hours» || «two hours is too long says security. half an hour.»
		«the report runs on mondays» || «make that wednesdays for the report, the numbers aren't in on mondays»
		we host that one «on fly.io» || «fly.io is off the table, it runs on our own hetzner box»
		«thumbnails 320 wide» || «thumbnails: 480 wide, 320 looked blurry»
		«the feed is sorted oldest first» || «newest first in the feed please»
		«use the v2 endpoint of the maps api» || «scratch that, v3 of the maps api, v2 shuts down in june»
		«lets do the settings as a drawer» || «not a drawer after all. normal settings page»
		the kafka topic is «shop.orders.raw» || «shop.orders.clean is the topic we want, raw has duplicates»
		«password reset links are good for a day» || «reset links: 20 minutes, a day is insane»
		«round the weights to grams» || «weights to a tenth of a gram, the lab complained»
		«the demo is on the 14th» || «demo got pulled forward to the 11th!»
		«Lea does the screenshots» || «Lea is sick, screenshots are on Mirko»
		go with «chakra for the components» || «we're dropping chakra, plain css modules»
		«export as docx» || «they want odt and no docx»
		«the api key header is called X-Shop-Key» || «it must be sent as X-Api-Token, X-Shop-Key is only for the legacy gateway»
		«max 5 login attempts» || «10 login attempts before we lock, 5 locked out half of sales»
		store it in «the users table» || «store it in profiles rather, the users table is replicated everywhere»
		«free shipping from 50 euros» || «free shipping starts at 39 euros as of this week»
		«the staging url is stage.brightcart.dev» || «staging lives under next.brightcart.dev, the stage. one is dead»
		«node 18 in the docker image» || «docker image on node 22, 18 is eol»
		«write the changelog by hand» || «changelog from the commit messages, nobody keeps it by hand anyway»
		«the invoice numbers start with R-» || «invoice numbers start with INV-, R- is for refunds»
		«vat for books is 19» || «books have 7 % vat, dunno why I said 19»
		«poll every 10 seconds» || «polling every minute is plenty»
		«the modal closes on escape and on outside click» || «only escape should close the modal, people lose their text»
		«dates as dd.mm.yyyy in the UI» || «US office complained, so iso dates in the UI»
		«put the images on s3» || «images go on r2, way cheaper than s3»
		«cart is kept for 7 days» || «turns out marketing promised 30 days for the cart»
		«queue worker concurrency 8» || «concurrency 3 for the queue worker, the db can't take 8»
		«the parent ticket is SHOP-882» || «parent ticket should read SHOP-828»
		«search with meilisearch» || «typesense it is. meilisearch can't do the synonyms»
		«the fallback language is english» || «fallback language french, it's a canadian client»
		«feature branch is feat/giftcards» || «pls work on feat/vouchers, feat/giftcards is Jo's»
		«log retention 90 days» || «legal says 30 days of logs, not 90»
		«the health endpoint is /ping» || «k8s hits /readyz so that's the health endpoint, /ping is gone»
		«phone number is a required field» || «phone number should be optional»
		«ship the beta to 5 customers» || «beta to 12 customers, sales already told them»
		«use argon2 for the hashes» || «bcrypt for the hashes, argon2 isn't fips»
		«we close at 6pm» for the banner || «closing time is 8pm since october»
		«gift cards can't be combined» || «gift cards can be combined after all»
		«tooltips on hover» || «tooltips on click, hover doesn't exist on touch»
		«warehouse code for Lyon is LYO1» || «Lyon = LYS1»
		«css in one big file» || «split the css per component instead of one big file»
		«the trial is 14 days» || «trial: 21 days now»
		«Dana approves refunds» above 500 || «refunds get approved by Ruth, not by Dana»
		«the sftp host is ftp.nordlog.example» || «new sftp host: transfer.nordlog.example»
		«send the mail through postmark» || «mail via ses. postmark contract ends»
	`,
	decisions: "",
	takenBack: `
		«don't commit anything yourself» || «from now on you can commit yourself»
		«please leave the styles alone for now» || «styles are fair game now»
		«no network calls in the build» || «network calls in the build are ok since we cache»
		«explain every step before you do it» || «you don't have to explain every step any more»
		«nothing in admin/ gets touched» || «admin/ is open for changes again»
		«only ever run one test file at a time» || «run the whole suite if you like, the runner is fast now»
		«always show me the diff first» || «skip showing me the diff, I trust you by now»
		«no async in the models» || «I was wrong about async in the models, use it»
	`,
	requests: `
		ok now the order list: it shows cancelled orders twice, please look at it
		build the page for returned parcels, same look as the orders page
		the nightly sync stopped at 3am again. why
		make the filter remember what I picked
		add a small test for the price rounding while you're there
		clean up the unused imports in that folder
		the email preview is empty in safari, can you repair that
	`,
	questions: `
		what's the difference between those two hooks?
		why is it slower on the second run?
		does that also hit the cache?
		how many rows are in there roughly?
		is this the same lib as before?
	`,
	agreed: "Got it:",
});
