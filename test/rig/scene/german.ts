/** A user who writes German: terse, in passing, often in lower case. */
import { sceneWords } from "./scene-words.ts";

export const GERMAN = sceneWords({
	language: "German",
	rules: `
		kurz vorweg: «nie direkt auf main pushen»
		der import hängt manchmal, schau mal. und «kein lodash hier»
		«Tests liegen neben der Quelldatei, nicht in einem eigenen Ordner.»
		«jede öffentliche Funktion bekommt eine Zeile Doku»
		«Finger weg von vendor/»
		«Commit-Texte auf Englisch, höchstens 60 Zeichen»
		«bevor du fertig meldest läuft einmal npm run lint»
		fehler bitte einheitlich: «Fehler kommen als {code, message} zurück, sonst nichts»
		«hier wird pnpm benutzt, npm zerschiesst das lockfile»
		«frag mich, bevor du eine neue Abhängigkeit einbaust»
		«in der Oberfläche wird gesiezt»
		übrigens: «die Snapshot-Dateien sind generiert, lass sie in Ruhe»
		«Zeiten speichern wir ausschließlich in UTC»
		«jede Migration braucht einen Rückweg»
		«formatier keine Dateien um, an denen du sonst nichts änderst»
		noch was: «keine default exports»
		«im Zweifel lieber nachfragen als raten»
		«Ich will kleine Commits, pro Commit eine Sache»
		merk dir bitte: «die Staging-DB ist geteilt, dort keine löschenden Abfragen»
		«in Logs haben E-Mail-Adressen nichts verloren»
		«wir unterstützen Node 20, also nichts Neueres verwenden»
		«das Bundle muss unter 90 kB bleiben»
		«an src/legacy wird ohne mein ok nichts geändert»
		«Kommentare auf Deutsch, auch wenn das Ticket englisch ist»
		«pro PR nur ein Paket»
		«Feature Flags sind standardmäßig aus»
		«Geheimnisse gehören in den Tresor, nicht in .env-Dateien»
		«halte dich an die bestehende Ordnerstruktur»
		«wenn ein Test wackelt, sag Bescheid statt ihn zu wiederholen»
		«alles was Nutzer sehen kommt ins CHANGELOG»
		«Einrückung mit Tabs»
		«Geldbeträge sind ganze Cent, Fließkomma ist dort tabu»
		«Bildschirmfotos gehören nach docs/img»
		«antworte ab sofort in Stichpunkten»
		«HTML bitte nicht mit regulären Ausdrücken zerlegen»
		«die öffentliche API bleibt wie sie ist»
		«das Wort Mandant ist in der UI verboten, wir sagen Arbeitsbereich»
		«die CLI muss nach jedem Schritt auch offline laufen»
		«TODO-Kommentare werden nicht gemergt»
		«nur die Tests des geänderten Pakets laufen lassen, die ganze Suite dauert 40 min»
		«Schemaänderungen gibt nur Marta frei»
		«git stash ist hier tabu»
		«Bibliothekscode wirft nicht, er gibt Ergebnisse zurück»
		«alle Endpunkte brauchen ein Rate Limit, ohne Ausnahme»
		«im Renderer lieber Komposition als Vererbung»
		«die Demodaten müssen deterministisch bleiben»
		prod-logs darfst du lesen, aber «auf prod wird nichts geschrieben»
		«Dateinamen in kebab-case»
		«neue Komponenten nur mit Story»
		«hör auf, am Ende jeder Antwort alles zusammenzufassen»
	`,
	corrections: `
		«das Relay lauscht auf Port 7443» || sorry, «das Relay läuft jetzt auf 8443, nicht auf 7443»
		«Marta prüft die Storage-PRs» || «Storage-PRs prüft jetzt Jonas statt Marta»
		«Timeout vom Uploader ist 30s» || Korrektur: «der Uploader-Timeout soll 45s sein»
		«der Bucket heißt acme-uploads-eu» || «er heißt acme-media-eu, nicht acme-uploads-eu»
		«deployt wird donnerstags» || «wir deployen nicht mehr donnerstags, sondern dienstags»
		«bei 503 dreimal wiederholen» || «fünfmal wiederholen, dreimal war zu wenig»
		«das Flag heißt ENABLE_FASTPATH» || hab ich verwechselt, «das Flag ist FASTPATH_ENABLED»
		«maximale Seitengröße 200» || «setz die maximale Seitengröße auf 500»
		«der Header ist X-Trace-Token» || «Header ist X-Request-Trace statt X-Trace-Token»
		«Token laufen nach 15 Minuten ab» || «Token gelten jetzt 60 Minuten, bei 15 Minuten flogen alle raus»
		«das Dienstkonto ist svc-builder» || «nimm svc-release, svc-builder wurde gelöscht»
		«die Konfiguration liegt in config/base.yml» || «config/base.yml heißt jetzt settings/core.yml»
		«Warnungen sind orange» || «Warnungen sind bernstein, nicht mehr orange»
		«die Queue heißt ingest-v2» || ach nee, «die Queue ist ingest-v3»
		«Datenbank ist Postgres 14» || «seit letzter Woche sind wir auf Postgres 16»
		«zweig von develop ab» || «zweig von trunk ab, develop ist tot»
		«Rechnungen runden wir kaufmännisch» || «Rundung ist mathematisch, die Buchhaltung hat mich korrigiert: nicht kaufmännisch»
		«API-Basis ist /api/v1» || «ändere die API-Basis von /api/v1 auf /api/v2»
		«Backups 14 Tage aufheben» || «Backups 30 Tage statt 14»
		«für das Billing-Modul ist Priya zuständig» || «Priya ist weg, Billing macht Tomas»
		«komprimiert wird mit gzip» || «doch zstd, gzip fliegt raus»
		«Cache-TTL 300» || «TTL bitte 900, mit 300 brennt der Origin»
		«der Cron läuft um 02:00» || mein Fehler, «der Cron läuft um 04:30»
		«Bilder gehen durch imgproxy» || «Bilder gehen nicht mehr durch imgproxy sondern durch thumbor»
		«Passwörter haben mindestens 8 Zeichen» || «mindestens 12 Zeichen für Passwörter»
		«die App-Id ist com.acme.field» || «richtig ist com.acme.fieldwork als App-Id»
		«Loglevel in prod ist info» || «Loglevel in prod soll warn sein, info ist zu geschwätzig»
		«der Sandbox-Tenant ist t-1180» || «nicht t-1180, ich meinte t-1810»
		«Region us-east-1» || «Region eu-central-1, vergiss us-east-1»
		«das Webhook-Secret liegt unter kv/hooks» || «das Webhook-Secret ist umgezogen: kv/webhooks/prod»
		«es gibt 4 Worker» || «eigentlich sind es 6 Worker»
		«Batches von 1000 Zeilen» || «Batchgröße 250, 1000 Zeilen sprengen den Speicher»
		«Standardsprache ist de-DE» || «Standardsprache muss de-AT sein»
		«der Prüfer heißt fencepost» || «fencepost war falsch, er heißt gatepost»
		«SMTP läuft über mail01» || «mail02 für SMTP, mail01 ist abgeschaltet»
		«Uploads bis 25 MB» || «Uploads dürfen jetzt 40 MB haben»
		«der Parser liegt in lib/parse.ts» || «er liegt in lib/reader/parse.ts, nicht in lib/parse.ts»
		«ältestes Safari ist 15» || «ältestes Safari ist nun 16»
		«das Epic ist PLAT-310» || «falsches Epic, PLAT-331 ist es»
		«die Doku wird mit mkdocs gebaut» || «mkdocs haben wir durch starlight ersetzt»
		«im Gratisplan sind 3 Projekte» || «im Gratisplan sind es 5 Projekte»
		«der Healthcheck ist /healthz» || «der Healthcheck ist jetzt unter /livez»
		«staging nutzt den redis 10.0.4.12» || «staging-redis ist 10.0.4.21, Zahlendreher»
		«Preise in USD anzeigen» || «Preise in EUR anzeigen, nicht in USD»
		«Release ist am 12. Mai» || «Release verschoben auf den 26. Mai»
		«die Sperre hält 10 Sekunden» || «die Sperre soll 25 Sekunden halten statt 10»
		«die Admin-Gruppe ist ops-admins» || «die Admin-Gruppe heißt platform-admins, ops-admins gibt es nicht mehr»
		«Tabellen haben das Präfix app_» || «Präfix ist stattdessen core_»
		«Samplerate 0.1» || «Samplerate ab jetzt 0.25»
		«Ana gibt die Texte frei» || «nein, Bea gibt die Texte frei, Ana ist im Urlaub»
	`,
	decisions: `
		«wir nehmen sqlite als lokalen Speicher» || «doch kein sqlite, wir nehmen leveldb als lokalen Speicher»
		ok «dann server-sent events» || «anders entschieden: websockets, keine server-sent events»
		«beschlossen: ein Repo für beide Clients» || «wir trennen die Clients wieder, zwei Repos»
		«der alte Endpunkt bleibt noch ein Release» || «der alte Endpunkt kommt doch sofort weg»
		«Validierung mit zod» || «valibot statt zod»
		«gerendert wird auf dem Server» || «wir rendern wieder im Client, der Server ist zu langsam»
		«lieber eine große Tabelle als fünf» || «es werden fünf Tabellen, die eine große Tabelle war ein Fehler»
		«wir nutzen date-fns» || «nicht date-fns, sondern temporal»
		«Anmeldung mit Bearer-Tokens» || «Cookies statt Bearer-Tokens»
		«der Assistent hat drei Schritte» || «mach zwei Schritte im Assistenten, drei nerven»
		«das macht ein Trigger in der Datenbank» || «kein Trigger, das macht die Anwendung»
		«wir bleiben bei jest» || «wir wechseln von jest zu vitest»
		«Plugins vorerst nicht» || «Plugins kommen doch rein»
		«der Editor speichert beim Verlassen» || «speichern alle 5 Sekunden statt beim Verlassen»
		«Kunden werden weich gelöscht» || «Kunden werden hart gelöscht, nicht weich»
		«wir haben uns für protobuf entschieden» || «json statt protobuf, leichter zu debuggen»
		«Grundlage ist das blaue Theme» || «Grundlage ist das dunkle Theme, nicht das blaue»
		«die Liste ist nach Name sortiert» || «die Liste nach Datum sortieren statt nach Name»
		«Ids sind ulids» || «uuidv7 für Ids, keine ulids»
		«die Einstellungsseiten legen wir zusammen» || «die Einstellungsseiten bleiben doch getrennt»
		«Anhänge liegen in der Datenbank» || «Anhänge kommen in den Objektspeicher, nicht in die Datenbank»
		«Bestätigung per modal» || «toast mit undo statt modal»
		«helm behalten wir» || «kustomize, helm fliegt raus»
		«der worker wird getrennt deployt» || «worker und api werden wieder zusammen deployt»
		«Einladungen laufen nach einer Woche ab» || «Einladungen laufen nie ab»
	`,
	takenBack: `
		«keine Emojis in Commit-Texten» || «Emojis in Commit-Texten sind wieder ok»
		«die e2e-Suite nie selbst starten» || «du darfst die e2e-Suite jetzt selbst starten»
		«das Dockerfile nicht anfassen» || «das Dockerfile darfst du wieder ändern»
		«vor dem Löschen einer Datei immer fragen» || «vor dem Löschen musst du nicht mehr fragen»
		«Funktionen unter 30 Zeilen halten» || «das mit den 30 Zeilen für Funktionen gilt nicht mehr»
	`,
	requests: `
		Repariere den Absturz bei leerem Warenkorb und schreib einen Test dazu.
		Schau dir an, warum der zweite Import so lange braucht.
		Der Tooltip am Diagramm ist auf kleinen Bildschirmen abgeschnitten, bitte beheben.
		Benenne die Hilfsfunktion für Summen um, der Name verwirrt.
		Gib dem report-Befehl ein --json.
		Seit gestern kommt beim Bauen eine Warnung, find heraus woher.
		Das Suchfeld soll seinen Text nach dem Neuladen behalten.
	`,
	questions: `
		was bedeutet das zweite Argument?
		gibt es einen Grund, warum der Watcher pollt?
		wie groß ist das Bundle gerade?
		warum ist der erste Versuch gescheitert?
		geht das auch mit zwei Monitoren?
	`,
	agreed: "Verstanden:",
});
