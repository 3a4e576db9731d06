/** A user who writes German in a hurry: rules in the middle of an order, half sentences, typos, lists, and politeness. */
import { sceneWords } from "../scene-words.ts";

export const GERMAN_IN_PASSING = sceneWords({
	language: "German in passing",
	rules: `
		der csv-export verschluckt umlaute, bitte beheben, und «die spaltenreihenfolge bleibt, die buchhaltung importiert nach position»
		schau dir mal den wackligen upload-test an. «keine sleeps in tests bitte, auf das ereignis warten»
		«force push machen wir hier nicht», sonst kannst du den branch gern aufräumen
		Es wäre nett, wenn «der Text auf der Kassenseite genau so bliebe, wie ihn die Rechtsabteilung geschrieben hat»; das Layout darfst du ändern.
		bau den retry in den client ein (und «nichts loggen wo der request body drin ist, da sind kartennummern»)
		«von mocks halte ich nichts, nimm wenns geht die echte db in tests»
		kopfzeile auf dem handy reparieren. ach ja, «das alte ipad im lager muss weiter gehen, immer bei 768px prüfen»
		«die cloudkosten werden gerade geprüft, also nichts was neue instanzen startet ohne dass ich es weiß»
		drei dinge: job umbenennen, tote spalte weg, und «migrationen kommen künftig in einen eigenen PR»
		«Könntest du bitte in ganzen Sätzen statt in Tabellen antworten? Ich lese das am Telefon.»
		«typescript bleibt strict auch wenns nervt»
		«Sag mir Bescheid, bevor du an auth gehst.» Den Rest der Liste ohne Rückfrage.
		«wenn du einen fehler nicht nachstellen kannst dann sag das, nicht raten»
		«lieber laut abstürzen als null zurückgeben»
		«nimm die makefile-targets und nicht die rohen befehle, CI macht das auch so»
		heute:⏎1. off-by-one beim blättern⏎2. «seitengröße nie über 100»⏎3. test für beides
		«die fehlercodes nicht umnummerieren, der support hat die in seinen vorlagen»
		«wenns mehr als ~200 zeilen werden komm vorher zu mir»
		«generierten code fasst man nicht von hand an»
		mach den backfill, aber «in häppchen damit die replica mitkommt, das gilt für jeden backfill»
	`,
	corrections: `
		der import holt die dateien aus «/srv/eingang/auftraege» || hm nachgesehen, «es ist /srv/ablage/auftraege, wurde im frühjahr verlegt»
		«die lieferanten-id ist 40721» bei allen testaufrufen || «lieferanten-id 40712, hatte ich verdreht»
		«bei preisen ist Hanna die richtige» || «preisfragen ab heute an Oskar, Hanna hat das team gewechselt»
		«der bericht läuft montags» || «mach beim bericht mittwoch draus, montags sind die zahlen noch nicht da»
		das ding liegt «auf fly.io» || «fly.io ist vom tisch, das läuft auf unserer hetzner-kiste»
		«vorschaubilder 320 breit» || «vorschaubilder: 480 breit, 320 war unscharf»
		«im feed das älteste zuerst» || «bitte im feed das neueste zuerst»
		«die einstellungen als drawer» || «doch kein drawer. normale seite für die einstellungen»
		das kafka-topic ist «shop.orders.raw» || «shop.orders.clean ist das topic das wir wollen, in raw sind dubletten»
		«links zum zurücksetzen gelten einen tag» || «reset-links 20 minuten, ein tag ist irre»
		«die vorführung ist am 14.» || «vorführung vorgezogen auf den 11.!»
		«Lea macht die screenshots» || «Lea ist krank, screenshots macht Mirko»
		«höchstens 5 anmeldeversuche» || «10 anmeldeversuche bevor wir sperren, mit 5 war der halbe vertrieb draußen»
		«versand frei ab 50 euro» || «ab dieser woche ist der versand ab 39 euro frei»
		«staging ist stage.brightcart.dev» || «staging liegt unter next.brightcart.dev, das mit stage. ist tot»
		«im docker-image node 18» || «docker-image auf node 22, 18 ist eol»
		«telefonnummer ist pflichtfeld» || «telefonnummer soll freiwillig sein»
		«hashes mit argon2» || «bcrypt für die hashes, argon2 ist nicht fips»
		«gutscheine sind nicht kombinierbar» || «gutscheine sind doch kombinierbar»
		«tooltips bei hover» || «tooltips bei klick, hover gibts auf touch nicht»
		«die probezeit ist 14 tage» || «probezeit: jetzt 21 tage»
		«mails über postmark» || «mails über ses. der postmark-vertrag läuft aus»
	`,
	decisions: "",
	takenBack: `
		«nichts selbst committen» || «ab jetzt darfst du selbst committen»
		«die styles vorerst in ruhe lassen» || «an die styles darfst du jetzt ran»
		«jeden schritt vorher erklären» || «du musst nicht mehr jeden schritt erklären»
		«mir immer erst den diff zeigen» || «den diff brauchst du mir nicht mehr zeigen»
	`,
	requests: `
		so, jetzt die auftragsliste: stornierte aufträge stehen doppelt drin, bitte ansehen
		bau die seite für rücksendungen, gleiches aussehen wie die auftragsseite
		der nächtliche abgleich ist wieder um 3 stehen geblieben. warum
		der filter soll sich merken was ich gewählt habe
		räum die unbenutzten importe in dem ordner auf
	`,
	questions: `
		was ist der unterschied zwischen den beiden hooks?
		warum ist es beim zweiten mal langsamer?
		geht das auch über den cache?
		wie viele zeilen sind da ungefähr drin?
	`,
	agreed: "Alles klar:",
});
