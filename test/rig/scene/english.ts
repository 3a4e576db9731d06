/** A user who writes English: terse, in passing, with typos. */
import { sceneWords } from "./scene-words.ts";

export const ENGLISH = sceneWords({
	language: "English",
	rules: `
		hey, quick thing first: «never push to main directly»
		the parser is slow on big inputs, have a look. «no lodash in this repo pls»
		«Tests go next to the source file, not in a tests folder.»
		and «keep every public function documented in one line»
		pls «dont touch anything under vendor/»
		«Commit messages in imperative mood, max 60 chars.»
		«always run npm run lint before you say you're done»
		ok so for the api: «errors are returned as {code, message}, nothing else»
		«use pnpm here, npm breaks the lockfile»
		I hate surprises so «ask me before you add a dependency»
		«British spelling in all user-facing text»
		btw «snapshot files are generated, leave them alone»
		can you fix the date thing, and «dates are always UTC in the database»
		«every migration needs a down step»
		«Don't reformat files you didn't otherwise change»
		one more: «no default exports»
		«when you're unsure, stop and ask rather than guess»
		«I want small commits, one change each»
		remember that «the staging db is shared so no destructive queries there»
		«log lines must not contain email addresses»
		«we support node 20 so nothing newer than that please»
		«Keep the bundle under 90 kB»
		«nothing in src/legacy gets edited without my ok»
		please «write comments in English even if the ticket is not»
		«each PR touches one package only»
		«feature flags default to off»
		«secrets come from the vault, don't put them in .env files»
		«stick to the existing folder layout»
		«if a test is flaky tell me, do not just retry it»
		and of course «the CHANGELOG gets a line for everything a user can see»
		«use tabs»
		«Money is integer cents, floats are forbidden there.»
		«screenshots belong in docs/img»
		«from here on answer in short bullet points»
		«please avoid regexes for parsing html»
		«leave the public API as it is»
		«the word "tenant" is banned in the UI, we say workspace»
		«make sure the CLI still works offline after each step»
		«no TODO comments in merged code»
		«run only the tests of the package you changed, the whole suite takes 40 min»
		«Only Marta may approve schema changes.»
		«don't ever use git stash here»
		fwiw «we never throw in library code, we return results»
		«every endpoint needs a rate limit, no exceptions»
		«prefer composition over inheritance in the renderer»
		«the demo data has to stay deterministic»
		you can look at prod logs but «prod is read only for you»
		«file names are kebab-case»
		«all new components get a story»
		«stop summarising what you did at the end of each answer»
	`,
	corrections: `
		«the relay listens on port 7443» || sorry, «the relay is on 8443 now, not 7443»
		«Marta reviews the storage PRs» || «Jonas reviews storage now instead of Marta»
		«timeout for the uploader is 30s» || correction: «the uploader timeout should be 45s»
		«the bucket is called acme-uploads-eu» || «it's acme-media-eu, not acme-uploads-eu»
		«we deploy on Thursdays» || «deploys moved from Thursdays to Tuesdays»
		«retry three times on a 503» || actually «retry five times, three was too few»
		«the flag's name is ENABLE_FASTPATH» || I mixed that up, «the flag is FASTPATH_ENABLED»
		«max page size is 200» || «make the max page size 500»
		«the header is X-Trace-Token» || oops, «header is X-Request-Trace rather than X-Trace-Token»
		«tokens expire after 15 minutes» || «tokens now live 60 minutes, the 15 minutes caused logouts»
		«the service account is svc-builder» || «use svc-release, svc-builder got deleted»
		«the config sits in config/base.yml» || «config/base.yml was renamed to settings/core.yml»
		«our colour for warnings is orange» || «warnings are amber now, not orange»
		«the queue is named ingest-v2» || wait no. «ingest-v3 is the queue»
		«database is Postgres 14» || «we're on Postgres 16 since last week»
		«branch off develop» || «branch off trunk, develop is dead»
		«invoices are rounded half up» || «rounding is half even, finance corrected me»
		«the API base is /api/v1» || «change the API base from /api/v1 to /api/v2»
		«keep 14 days of backups» || «backups: 30 days instead of 14»
		«the owner of the billing module is Priya» || «Priya left, billing belongs to Tomas»
		«compress with gzip» || «zstd it is, drop gzip»
		«cache TTL 300» || «TTL 900 please. 300 hammers the origin»
		«the cron runs at 02:00» || my bad, «the cron runs at 04:30»
		«images go through imgproxy» || «images no longer go through imgproxy, it's thumbor»
		«the minimum password length is 8» || «minimum password length is 12 (security said no to 8)»
		«the mobile app id is com.acme.field» || «com.acme.fieldwork is the right app id»
		«log level in prod is info» || «prod log level should be warn, info is too chatty»
		«the sandbox tenant is t-1180» || «not t-1180, I meant t-1810»
		«use the us-east-1 region» || «region eu-central-1, forget us-east-1»
		«the webhook secret is in vault path kv/hooks» || «the webhook secret moved: kv/webhooks/prod»
		«there are 4 workers» || «6 workers actually»
		«batches of 1000 rows» || «batch size 250, 1000 rows blew the memory»
		«the default locale is en-US» || «default locale must be en-GB»
		«the checker is called fencepost» || «I called it fencepost, the real name is gatepost»
		«SMTP goes over mail01» || «mail02 for SMTP, mail01 is retired»
		«limit uploads to 25 MB» || «uploads may be 40 MB now»
		«the parser lives in lib/parse.ts» || «it lives in lib/reader/parse.ts, not lib/parse.ts»
		«we support Safari 15» || «Safari 16 is the oldest we support now»
		«the epic is PLAT-310» || «wrong epic: PLAT-331»
		«the docs site is built with mkdocs» || «we replaced mkdocs with starlight»
		«free plan has 3 projects» || «free plan gets 5 projects»
		«the health check is /healthz» || «health check endpoint changed to /livez»
		«staging uses the redis at 10.0.4.12» || «staging redis is 10.0.4.21, I swapped digits»
		«customers see prices in USD» || «prices shown in EUR, not in USD»
		«the release is planned for May 12» || «release slipped to May 26»
		«the lock file is held for 10 seconds» || «hold the lock for 25 seconds rather than 10»
		«the admin group is ops-admins» || «group name is platform-admins. ops-admins doesn't exist anymore»
		«tables are prefixed with app_» || «prefix is core_ instead»
		«sample rate 0.1» || «sample rate 0.25 from now on»
		«Ana signs off the copy» || «no, Bea signs off the copy, Ana is on leave»
	`,
	decisions: `
		«let's go with sqlite for the local store» || hm. «scrap sqlite, we take leveldb for the local store»
		ok «we'll use server-sent events» || «changed my mind: websockets after all, no server-sent events»
		«option B then» for the importer
		«decided: one repo for both clients» || «we split the clients again, two repos»
		«keep the old endpoint for one more release» || «don't keep the old endpoint, remove it right away»
		«go with zod for validation» || «valibot instead of zod»
		«the importer runs as a cron job, not as a service»
		«we'll render on the server» || «back to client rendering, the server part is too slow»
		«I'd rather have one big table than five» || «five tables it is, the one big table was a mistake»
		«agreed, feature branch per ticket»
		«let's use date-fns» || «not date-fns, temporal»
		«we drop IE support»
		«we go with bearer tokens» || «cookies rather than bearer tokens»
		«names stay plural in the API»
		«I want the wizard in three steps» || «make the wizard two steps, three is annoying»
		«do it with a trigger in the db» || «no trigger, do it in the application code»
		«stick with jest» || «we switch from jest to vitest»
		«search uses trigram index»
		«pdf export gets its own package»
		«let's not support plugins yet» || «plugins are in after all»
		«the editor saves on blur» || «save every 5 seconds instead of on blur»
		«fine, approve the two-phase rollout»
		«soft delete for customers» || «hard delete for customers, legal wants it»
		«icons come from lucide»
		«we chose protobuf» || «json instead of protobuf, easier to debug»
		«emails are sent by the worker»
		«pagination by cursor»
		«use the blue theme as the base» || «dark theme as the base, not the blue theme»
		«the list is sorted by name» || «sort the list by date rather than by name»
		«cli args win over env vars»
		«ids are ulids» || «uuidv7 for ids, no ulids»
		«two reviewers for the crypto code»
		«let's merge the settings pages» || «leave the settings pages apart, don't merge them»
		«we ship without the map view»
		«attachments are stored inline» || «attachments go to object storage, not inline»
		«the nightly job owns cleanup»
		«use a modal for the confirm» || «toast with undo instead of a modal»
		«I prefer the strict tsconfig»
		«we keep helm» || «kustomize, we drop helm»
		«charts with canvas, svg is too slow»
		«roles are per workspace»
		«deploy the worker separately» || «worker and api are deployed together again»
		«translate only the checkout»
		«the sdk is generated from openapi» || «hand-written sdk, not generated from openapi»
		«accept only csv for now» || «xlsx too, not only csv»
		«errors go to sentry»
		«no SSR for the admin»
		«take the smaller instance type» || «bigger instance type, the smaller one swaps»
		«webhooks are retried for a day»
		«invites expire after a week» || «invites never expire»
	`,
	takenBack: `
		«no emojis in commit messages» || you can «use emojis in commit messages again, I don't mind»
		«never run the e2e suite yourself» || forget what I said about the e2e suite, «running the e2e suite yourself is fine now»
		«don't touch the Dockerfile» || «you may change the Dockerfile now»
		«always ask before deleting a file» || «no need to ask before deleting a file anymore»
		«keep functions under 30 lines» || «the 30 lines thing for functions no longer applies»
		«do not use async iterators» || «async iterators are ok again»
	`,
	requests: `
		Fix the crash when the cart is empty and add a test for it.
		Now look into why the import takes so long on the second run.
		The tooltip on the chart is cut off on small screens, please repair that.
		Rename the helper that formats totals, its name is confusing.
		Add a --json flag to the report command.
		The build prints a deprecation warning since yesterday, find out where it comes from.
		Make the search box keep its text after a reload.
		Write the endpoint that lists a customer's open invoices.
	`,
	questions: `
		what does the second argument of that function mean?
		is there a reason why the watcher polls?
		how big is the bundle right now?
		do you know if the library has a changelog?
		why did the first attempt fail?
		does this also work with two monitors?
	`,
	agreed: "Understood:",
});
