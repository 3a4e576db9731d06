/**
 * Words that say nothing about a subject. Those of grammar are never searched for. Those of ordinary work ("fix", "file") are
 * searched for, but finding them proves little.
 */

const GRAMMAR = [
	// English
	"a an the and or but if of to in on at by for with from as is are was were be been being am do does did done doing have",
	"has had having i you he she it we they me him her us them my your his its our their this that these those there here",
	"what which who whom whose when where why how can could will would shall should may might must not no nor so than then",
	"too very just about into over under again also any some all each both more most other such own same s t d m ll re ve don",
	"up out off down let lets yes ok okay please thanks thank now still yet ever never only really maybe quite",
	// German, French, Spanish, Portuguese, Italian
	"der die das den dem des ein eine einen einem einer und oder aber wenn ist sind war waren sein hat haben ich du er sie es",
	"wir ihr mich dich mir dir uns nicht kein keine mit von zu zum zur im am auf aus bei nach vor wie was wer wo wann warum",
	"auch noch nur schon mal bitte danke ja nein doch dann jetzt",
	"le la les un une des du et ou mais si est sont je tu il elle nous vous ils elles ne pas que qui quoi dans sur pour avec",
	"par ce cette ces mon ma mes ton ta tes son sa ses au aux oui non merci plus",
	"el los las una unos unas y o pero es son yo ella ellos no de que en con por para como cuando donde lo se su sus mi tu",
	"gracias si ya muy todo esta este eso",
	"os uma uns umas e mas eu ele ela nos eles elas nao com por para como quando onde isso este obrigado sim",
	"il lo gli i di che non per come quando dove questo quello grazie anche piu",
	// Russian
	"и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по только ее мне было вот от меня еще нет о из",
	"ему когда даже ну ли если или это этот спасибо пожалуйста",
];

const ORDINARY = [
	"add answer ask back best better bit build call change check code come continue create day delete description different do",
	"easy error example explain feature few file files find first fix full function get give go good great hard help idea issue keep",
	"kind know last later like line list little long look lot make many mean much name need new next nice number old one open",
	"option part people place plan point possible problem project put question read ready real remove right run same save say",
	"see set short show side simple small some something start step stop sure take tell test tests thing think time today",
	"together tomorrow top try turn two type update use user using value version want way week well word work working write",
	"wrong year yesterday",
];

const grammar = new Set(GRAMMAR.join(" ").split(" "));
const ordinary = new Set(ORDINARY.join(" ").split(" "));

export function isGrammar(word: string): boolean {
	return grammar.has(word);
}

export function isOrdinary(word: string): boolean {
	return ordinary.has(word);
}
