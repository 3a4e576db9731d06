/**
 * Forms by which people tell of their life: who belongs to them, how things are, when something happens, what changed, what is still
 * open. In several languages, and as people type: without apostrophes, with shortened days. A form that is missing here costs a
 * sentence some weight, no more.
 */
import { form, words } from "../thread/word-forms.ts";

/** How things are, not what happened once. */
export const LASTING = form(
	words(
		"is|are|am|was born|were born|lives?|works?|stud(?:y|ies)|has|have|own(?:s|ed)?|called|named|hates?|loves?|likes?|takes?|drinks?|eats?|speaks?|plays?|wears?|costs?|belongs?|runs? out|expires?|ends?|begins?|starts?|opens|closes?|moved? (?:to|in)|owes?|booked|allergic|favou?rite|usually|always|never",
		"wants?|needs?|keeps?|goes|comes|turns \\d+|can['’]?t|won['’]?t|don['’]?t (?:do|eat|drink|like|smoke|drive|want)|i['’]?m|it['’]?s|s?he['’]?s|that['’]?s|they['’]?re|there['’]?s|went with",
		"ist|sind|bin|heiß(?:t|e|en)|wohn(?:t|e|en)|arbeite[nt]?|studier(?:t|e)|hat|habe|haben|mag|hass(?:t|e)|lieb(?:t|e)|spielt?|trink(?:t|e)|ess(?:e|t|en)|isst|kostet|gehört|läuft ab|beginnt|zieht|gebucht|geboren|bevorzugt|will|braucht?|kann|darf",
		"es|son|soy|está|estoy|vive|vivo|vivimos|trabaj[ao]|estudi[ao]|no como|bebo|tiene|tengo|se llama|me llamo|odi[ao]|gusta|cuesta|empieza|termina|nació|reservad[oa]|quier[eo]|prefier[eo]|necesit[ao]|pued[eo]",
		"est|sont|suis|habite|travaille|étudie|mange|bois|ai|s['’]appelle|m['’]appelle|déteste|adore|aime|coûte|commence|finit|née?|réservée?|préfère|veut|peu[tx]",
		"è|sono|viv(?:e|o|ono|iamo)|abit[oa]|lavor[oa]|studi[ao]|mangio|bevo|ha|ho|si chiama|vuole|può|posso|mora|trabalha|tem|tenho|quer|woont|werkt|heet|heeft|wil|живёт|живет|работает|учится|зовут|любит|ненавидит|хочет|нужн[оаы]",
	),
	"['’](?:s|m|re)(?!\\p{L})|です|ます|だ。|だよ|である|いる|住んで|働|ことに(?:なった|した)|名前は|飲めない|食べられない|是|叫|住在|在.{1,8}工作|喜欢|讨厌|入|이다|입니다|이야|예요|살아|다녀|좋아|싫어",
);

const DAY = "(?:mon|tues?|wed|thur?s?|fri|sat|sun)";
const MONTH = "(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)";

const HOUR = "(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\\d{1,2})";
const STUNDE = "(?:eins|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf)";
const HORA = "(?:una|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce|\\d{1,2})";
/** Not a number of something: "at 20 miles". */
const ALONE = "(?![\\d%€£]|[.,:]\\d|\\p{L}| (?:\\p{L}+s|percent|prozent|euro|grad|kilo)(?!\\p{L}))";

/** A time of the day, or a day of the month, as people say it. */
const CLOCK = words(
	`(?:at|till?|until|by) (?:about |around )?\\d{1,2}(?:ish)?${ALONE}|(?:at|till?|until|by) ${HOUR}(?: o['’]clock)`,
	`half (?:past )?${HOUR}|(?:five|ten|twenty|(?:a )?quarter) (?:past|to) ${HOUR}|noon|midnight`,
	`(?:um|ab|bis|gegen) (?:kurz (?:nach|vor) )?${STUNDE}|um \\d{1,2}${ALONE}|halb ${STUNDE}|(?:viertel|zehn|fünf) (?:nach|vor) ${STUNDE}`,
	`a las? ${HORA}|mediodía|à (?:midi|minuit)|(?:el )?día \\d{1,2}|(?:al|el|le|au|du) \\d{1,2}(?= (?:a las?|à)|[,.;]|$)`,
	"the day (?:after|before)|a (?:day|week|month) (?:later|earlier)|(?:einen tag|eine woche) (?:später|früher)|am tag (?:danach|darauf|davor)",
	"al día siguiente|(?:una semana|un día) (?:después|antes)|le lendemain|la veille|une (?:semaine|journée) plus (?:tard|tôt)",
);

export const DATE = form(
	CLOCK,
	"(?:am|bis|zum|vom|ab) \\d{1,2}\\.(?!\\d)",
	"\\d{1,2}[:.]\\d{2}(?!\\d)|\\d{4}-\\d{2}-\\d{2}|\\d{1,2}[./]\\d{1,2}[./]|(?<!\\d)\\d{1,2}(?:st|nd|rd|th)(?!\\p{L})|\\d{1,2} ?(?:am|pm|Uhr|h|h\\d{2})(?!\\p{L})",
	words(
		`(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:on|by|till?|until|this|next|every|to) ${DAY}|${DAY} \\d{1,2}`,
		`january|february|march|april|june|july|august|september|october|november|december|\\d{1,2}\\.? ${MONTH}|${MONTH} \\d{1,2}`,
		"(?:\\d{1,2}|in|since|until|by) may|tomorrow|next (?:week|month|year|spring|summer|autumn|fall|winter)|in (?:like |about |around )?\\p{L}+ (?:days|weeks|months)|birthday|anniversary|appointment|deadline",
		"montags?|dienstags?|mittwochs?|donnerstags?|freitags?|samstags?|sonntags?|januar|februar|märz|juni|juli|oktober|dezember|morgen|übermorgen|nächste[ns]? \\p{L}+|geburtstag|termin",
		"lunes|martes|miércoles|jueves|viernes|sábado|domingo|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre|mañana|cumpleaños|cita",
		"lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|janvier|février|mars|avril|juin|juillet|août|septembre|octobre|novembre|décembre|demain|anniversaire|rendez-vous|rdv",
		"lunedì|martedì|mercoledì|giovedì|venerdì|sabato|domenica|domani|gennaio|febbraio|aprile|maggio|giugno|luglio|settembre|ottobre|dicembre|compleanno|appuntamento|janeiro|fevereiro|março|maio|junho|julho|setembro|outubro|dezembro|aniversário|consulta|segunda|terça|quarta|quinta|sexta|amanhã|maandag|dinsdag|woensdag|donderdag|vrijdag|zaterdag|zondag",
		"понедельник|вторник|сред[ау]|четверг|пятниц[ау]|суббот[ау]|воскресенье|январ[ья]|феврал[ья]|марта|апрел[ья]|ма[яе]|июн[ья]|июл[ья]|август[ае]?|сентябр[ья]|октябр[ья]|ноябр[ья]|декабр[ья]|завтра|день рождения",
	),
	"\\d+月|\\d+日|[月火水木金土日]曜|明日|来週|来月|来年|誕生日|予約|明天|后天|下周|下个月|明年|星期|周[一二三四五六日]|生日|내일|다음 ?[주달]|내년|요일|생일",
);

/** Promised, owed, or still to be decided. */
export const OPEN = form(
	words(
		"(?:i|we) (?:promised?|owe|must|have to|need to|still)|i['’]ll|we['’]ll|(?:told|promised) \\p{L}+ (?:that )?(?:i|we)(?:['’]?(?:d|ll)| would)|remind me|don['’]?t let me forget|save me|not (?:sure|decided) yet|haven['’]?t (?:\\p{L}+ )?(?:figured|decided|heard|made up)|still (?:have|need|open|to|waiting)|waiting (?:to hear|for)|to[- ]do|should we|gotta|have got to",
		"versprochen|verspreche|zugesagt|ausgemacht|schulde|muss noch|müssen noch|noch (?:offen|nicht entschieden|zu)|erinnere? mich",
		"promet[ií]|debo|tengo que|tenemos que|todavía|recuérdame|promis|je dois|nous devons|encore à|rappelle-moi|devo|dobbiamo|обещал[аи]?|должн[аы]?|напомни",
	),
	"約束|まだ決め|しなきゃ|なきゃ|答应|还没|得去|提醒我|약속|아직|해야",
);

/** It is otherwise than before: "moved", "changed", "new", "no longer". */
export const CHANGE = form(
	words(
		"new|now|moved|changed|switched|swapped|pushed (?:me|us|it|them)|rescheduled|postponed|cancelled|canceled|called off|no longer|not any ?more|any ?more|turns out|in the end|scratch that|never ?mind (?:that|about|the)|i was wrong|i had (?:it|that) wrong|(?:my|a) (?:mistake|typo)|i meant|these days|from now on|instead",
		"(?:pushed|moved|shifted|bumped|put|brought) (?:\\p{L}+ ){1,4}(?:to|back|forward|till|until|from)|make (?:that|it) \\p{L}+|rebook(?:ed)?|ended up|can['’]?t (?:do|make)|is off|['’]s off|called it off",
		"(?:not|won['’]?t be|isn['’]?t) (?:\\p{L}+ ){0,4}(?:till|until)|neue?[rsnm]?|jetzt|nicht mehr|umgezogen|verschoben|verlegt|vorgezogen|umgebucht|getauscht|abgesagt|geändert|gewechselt|doch (?:nicht|lieber|erst|schon|eher)|stattdessen",
		"nuev[oa]|ahora|ya no|cambi(?:ó|aron|amos|é)|se mud(?:ó|aron)|nos mudamos|al final|mejor (?:el|la|a)|(?:se )?(?:retrasa|adelanta|aplaza)\\p{L}*|pasa(?:n|mos)? (?:al?|para)|nouve(?:au|lle)|maintenant|désormais|ne .{1,20} plus|changé|déménagé|décalé|repoussé|avancé|reporté|annulé|finalement|plutôt|ne peut pas|passe (?:à|au)",
		"nuov[oa]|adesso|non più|spostat[oa]|trasferit[oi]|agora|mudou|mudamos|não .{1,20} mais|nieuwe?|nu|verhuisd|verplaatst",
		"теперь|нов(?:ый|ая|ое|ые)|больше не|переехал[аи]?|перенесли|поменял[аи]?|отменили",
	),
	"新しい|今は|もう|変わ|変更|引っ越|延期|ことになった|新的|现在|改到|改成|换成|搬|不再|取消|이제|새로|바뀌|옮겼|이사",
);

/** What was said before is wrong. */
export const RETRACTION = form(
	words(
		"scratch that|forget (?:that|what i said)|never ?mind (?:that|about|the)|i was wrong|i had (?:it|that|them) wrong|i got (?:it|that) wrong|my (?:mistake|bad)|(?:a|was a) typo|i (?:actually )?meant|turns out|not \\p{L}+ after all|with an? \\p{L}, not",
		"vergiss das|hab mich (?:geirrt|vertan)|stimmt nicht|doch nicht|gemeint war|olvida (?:eso|lo)|me equivoqué|resulta que|quería decir|oublie (?:ça|ce)|je me suis trompée?|en fait|finalement|je voulais dire|mi sono sbagliat[oa]|na verdade|enganei|я ошиб\\p{L}+|забудь|оказалось",
	),
	"間違えた|間違って|やっぱり|じゃなくて|说错|搞错|其实|不是.{1,12}是|잘못|아니라",
);

/** Said from the day on which it was said. */
export const RELATIVE = form(
	words(
		"today|yesterday|tonight|this (?:morning|afternoon|evening|week(?:end)?|month|year)|last (?:night|week(?:end)?|month|year|spring|summer|autumn|fall|winter)|ago|just now|recently|these days|for now|heute|gestern|vorgestern|letzte[nrs]?|neulich|hoy|ayer|anoche|pasad[oa]|aujourd['’]hui|hier|dernière?|oggi|ieri|scors[oa]|hoje|ontem|vandaag|gisteren|сегодня|вчера|прошл\\p{L}+",
	),
	"今日|昨日|先週|先月|今度|今天|昨天|上周|上个月|刚才|오늘|어제|지난",
);

/** The body, and what one may eat. */
const HEALTH = form(
	"all?[eéè]rg|intoleran|lactose|laktose|lactosa|glut[ei]n|vegan|vegetari|végétar|diabet|diabèt|asthma|asma|pregnan|schwanger|embaraz|enceinte|migr[aä]in|medica|medikament|médicament|аллерги|лекарств",
	"\\d ?mg(?!\\p{L})",
	words(
		"mri|x-?rays?|hospital|clinic|diagnos\\p{L}+|insulin|pills?|tablets?|blood (?:type|group|pressure)|blutgruppe|blutdruck|grupo sanguíneo|groupe sanguin|gruppo sanguigno|doctor|therapist|dentist|vet|surgery|arzt|ärztin|zahnarzt|médico|dentista|médecin|врач",
	),
	"アレルギー|薬|医者|病院|过敏|药|医生|알레르기|약을|병원",
);

/** What a number or a name is the value of. */
const VALUED = form(
	words(
		"(?:phone |door |pass)?(?:number|code|word)s?|pin|address|size|plate|iban|account|room|flat|apartment|terminal|flight|key|e-?mail|price|rent|deposit|bill|fee|a (?:month|week|year)|loan|salary|anzahlung|kaution|rechnung|señal|fianza|factura|acompte|caution|facture|nummer|kennwort|passwort|adresse|größe|zimmer|wohnung|flug|miete|número|clave|contraseña|dirección|talla|habitación|vuelo|alquiler|numéro|mot de passe|taille|chambre|vol|loyer|numero|indirizzo|número|endereço|adres|kamer|номер|код|адрес|размер|квартира|кв|рейс",
	),
	"番号|住所|暗証|部屋|便|号码|密码|地址|车牌|尺码|房间|번호|비밀번호|주소|방",
);

/** Where a thing is now, or who has it. */
export const PLACED = form(
	"['’]s (?:in|on|under|behind|inside|above|below|next to|with|at) (?:the|my|our|his|her|their|a)(?!\\p{L})",
	words(
		"(?:is|are|['’]s|lives?|goes|kept|stays?) (?:\\p{L}+ )?(?:in|on|under|behind|inside|above|below|next to|with|at) (?:the|my|our|his|her|their|a)",
		"i (?:left|lent|parked|put|hid|stored)|lent (?:me|us)|(?:paid|put down) (?:the|a|my|our) (?:deposit|bill|rent|fee)",
		"(?:liegt|liegen|steht|stehen|hängt|steckt|ist|sind) (?:\\p{L}+ )?(?:in|im|auf|unter|unterm|hinter|hinterm|neben|bei|beim|am|an|vor) (?:de[rmn]|dem|meine[mrn]?|unsere[mrn]?|\\p{Lu}\\p{L}+)|hab(?:e)? \\p{L}+ .{0,40}(?:geliehen|gelassen|abgestellt|geparkt|versteckt)",
		"(?:está|están) (?:en|detrás|debajo|encima|dentro|con|junto)|(?:dejé|presté|aparqué|guardé|escondí)",
		"(?:est|sont|se trouve) (?:dans|sous|sur|derrière|chez|à côté|avec|au)|j['’]ai (?:laissé|prêté|garé|rangé|caché)|je prête",
	),
);

const ONGOING =
	"(?:\\p{L}+ )?(?!(?:going|moving|naming|calling|expecting|marrying|leaving|starting|staying|seeing|living|working|studying|learning|training|saving|planning|meeting|flying|getting|having (?:the|my|our))(?!\\p{L}))\\p{L}{2,}ing";

/** What is so as it is said and no longer: it goes on now, has just happened, or is a feeling about it. */
export const MOMENT = form(
	words(
		// It goes on. Some verbs speak of a longer time in this form.
		`(?:i|we|you|they|s?he|it|that|there)(?:['’](?:m|re|s)| (?:am|are|is|was|were)|['’]?ve been) ${ONGOING}|(?:was|were) ${ONGOING}`,
		"est(?:oy|á|án|amos|aba|aban|uve|uvo|uvimos|uvieron) (?:\\p{L}+ )?\\p{L}+[aei]ndo|en train de|st(?:o|a|iamo|anno|avo|ava|avamo) (?:\\p{L}+ )?\\p{L}+ndo",
		// Where the one who speaks is.
		"(?:i['’]?m|i am|we['’]?re|we are) (?:\\p{L}+ )?(?:in|on|at) (?:the|a|my)|(?:ich bin|wir sind|bin) (?:\\p{L}+ )?(?:im|am|beim|auf de[rm]|in der)|est(?:oy|amos) (?:\\p{L}+ )?(?:en|a punto)|(?:je suis|on est) (?:\\p{L}+ )?(?:dans|au|à l[ae'’]|sur)|(?:sono|siamo) (?:\\p{L}+ )?(?:in|a|al|alla|sul)",
		// Now, just now, once more.
		"just(?! so)|right now|almost|already|again|today|tonight|yesterday|last night|this (?:morning|afternoon|evening)|a (?:sec|second|minute|moment)|brb|finally|about to|keeps \\p{L}+ing|typical",
		"for (?:an?|\\S+) (?:minutes?|hours?)|seit \\S+ (?:stunden?|minuten?)|desde hace (?:un rato|\\S+ (?:minutos?|horas?))|depuis (?:\\S+ (?:minutes?|heures?)|ce matin)|da (?:un['’]ora|\\S+ (?:minuti|ore))",
		"gerade|grad|gleich|eben|heute|gestern|hier soir|endlich|schon wieder|wieder mal|mal wieder|moment|bis (?:später|gleich|dann)|muss (?:jetzt )?(?:los|weg)",
		"ahora mismo|ahora vuelvo|un momento|acab(?:o|amos|a) de|otra vez|hoy|ayer|anoche|por fin|qué \\p{L}+|aujourd['’]hui|encore|déjà|enfin|tout de suite|à l['’]instant|vien(?:s|t) de|hier(?! ist)|quel(?:le)?s? \\p{L}+|appena|oggi|ieri|finalmente|un attimo|di nuovo|che \\p{L}+",
		// How strongly it is felt.
		"(?:is|are|am|was|were|feels?|ist|sind|bin|war|waren) so(?! (?:that|far|dass|viel))|too(?= \\p{L})|such an?|quite|insane(?:ly)?|echt|so ein\\p{L}*|zu \\p{L}+|unfassbar|unglaublich|tan|demasiado|trop|tellement|troppo|così|davvero|pazzesc\\p{L}",
	),
	"['’](?:s|m|re) so(?! (?:that|far))|昨日|昨天|어제|今(?=\\p{L})|さっき|ちょうど|もう寝|刚刚?|正在|又|지금|방금|또 ",
);

/** Words that say how things are, of what lasts and of what passes alike: "my hands are cold". */
export const COPULA = new RegExp(
	`${words(
		"is|are|am|has|have|can['’]?t(?! (?:stand|eat|have|drink|drive|do|use))|won['’]?t|i['’]?m|it['’]?s|s?he['’]?s|that['’]?s|they['’]?re|there['’]?s",
		"ist|sind|bin|hat|habe|haben|will|braucht?|kann|darf|es|son|está|estoy|tiene|tengo|pued[eo](?! (?:comer|tomar|beber|conducir))|est|sont|suis|ai|veut|peu[tx](?! (?:pas )?(?:manger|boire|prendre|conduire))|è|sono|ha|ho|vuole|può|posso(?! (?:mangiare|bere|prendere|guidare))|tem|tenho",
	)}|['’](?:s|m|re)(?!\\p{L})|です|ます|だ。|だよ|いる|是`,
	"giu",
);

/** In languages that leave the pronoun out. */
export const OWN_VERB = form(
	words(
		"soy|somos|tengo|tenemos|vivo|vivimos|puedo|podemos|trabajo|trabajamos|odio|quiero|queremos|necesito|bebo|ho|abbiamo|abito|abitiamo|lavoro|lavoriamo|posso|possiamo|bevo|mangio|tenho|temos|moro|moramos",
	),
);

/** What somebody is, not how they are: "I'm a nurse", "ich bin Linkshänder", "soy alérgica". */
export const IDENTITY =
	/(?<!\p{L})(?:(?:[Ii]['’]?m|[Ii] am|s?he['’]?s|is) an? \p{Ll}|(?:ich |[Ii]ch )?bin (?:eine? )?\p{Lu}|[Ss]oy |[Mm]e llamo )|(?:私|僕|俺)は.*です|我是/u;

/** A tense of what is over, by a word that otherwise says how things are: "I have seen", "ich habe gelacht", "j'ai oublié". */
export const PERFECT = new RegExp(
	words(
		"(?:have|has|had|['’]ve) (?:\\p{L}+ )?(?:been|gone|seen|\\p{L}+ed)",
		"(?:hab|habe|hat|haben|hast|hatten?)(?: [\\p{L}\\p{N}]+){0,6}? (?:\\p{L}{0,4}ge\\p{L}{2,}(?:t|en)|(?:be|er|ver|zer|ent)\\p{L}{2,}(?:t|en))|(?:ge|be|er|ver|zer|ent)\\p{L}{2,}(?:t|en) (?:habe?|hat|haben)",
		"(?:he|ha|hemos|han|había) (?:\\p{L}+ )?(?:\\p{L}+[aií]do|roto|hecho|dicho|visto|puesto|vuelto|abierto)|si è \\p{L}+[aiu]t[oaie]|s['’]est \\p{L}+é|(?:ai|a|as|avons|avez|ont) (?:\\p{L}+ )?\\p{L}+(?:é|u|is|it)|(?:ho|ha|abbiamo|hanno) (?:\\p{L}+ )?\\p{L}+[aiu]to",
	),
	"giu",
);

/** What books and newspapers tell. */
export const REPORTED = form(
	words(
		"according to|research(?:ers)?|stud(?:y|ies) (?:show|say|find)\\p{L}*|report(?:ed|s)|\\d (?:kilo)?met(?:er|re)s?|(?:million|billion|trillion|percent|per cent|inhabitants)",
		"laut|zufolge|forscher|\\d (?:kilo)?meter|einwohner|prozent|millionen|milliarden|según (?:el|la|los|las|un)|investigadores|habitantes|millones|por ciento|kilómetros|selon (?:le|la|les|un)|chercheurs|millions|milliards|habitants|pour cent|kilomètres|secondo (?:il|la|lo|i|gli|un)|ricercatori|milioni|miliardi|abitanti|per cento|chilometri",
		"siglo|siècle|secolo|jahrhundert|century|centuries",
		"(?<!(?:born|geboren|nacid[oa]|nació|née?|nat[oa]) .{0,20})(?<!\\p{N})1[1-9]\\d\\d(?!\\p{N}| geboren)",
	),
	"によると|世紀|研究|据报道|世纪|研究人员|에 따르면|세기",
);

/** Words with which people begin to tell something new. */
export const TELLING = form(
	words(
		"btw|fyi|by the way|just so you know|heads[- ]up|for your info\\p{L}*|guess what|(?:big|good|bad) news|turns out|apparently|oh and",
		"übrigens|ach ja|ach so|nur damit du|stell dir vor|por cierto|a propósito|que sepas|te cuento|au fait|sinon|figure-toi|tu sais quoi|a proposito|comunque|aliás|a propósito|trouwens|o ja|кстати|между прочим|представляешь",
	),
	"そういえば|ちなみに|実は|对了|顺便|话说|其实|참[,， ]|그나저나|사실",
);

/** What changes a life, whoever tells it. */
export const LIFE = form(
	words(
		"(?:got|is|are|was|getting|been) (?:engaged|married|divorced|fired|hired|promoted|laid off|accepted|pregnant)|broke up|split up|(?:got|took|starts?|started|quit|lost) (?:the|a|her|his|my|an?) (?:new )?job|dropped out|retired|graduated|moving (?:in|out|to|back)|passed away|died|adopted|(?:had|having) (?:a|the) (?:baby|twins)|turn(?:s|ed) \\d+|(?:trip|wedding|party|holiday|deal|move)(?:['’]s| is) (?:off|on)",
		"verlobt|geheiratet|heiratet|geschieden|getrennt|gekündigt|befördert|in rente|gestorben|schwanger|ausgezogen|eingezogen|zieht (?:um|aus|ein)|se casó|se casan|se separ\\p{L}+|divorciad\\p{L}|jubil\\p{L}+|murió|despid\\p{L}+",
		"fiancée?s?|mariée?s?|divorcée?s?|séparée?s?|licenciée?|retraite|décédée?|enceinte|sposat\\p{L}|divorziat\\p{L}|si spos(?:a|ano)|compi(?:e|ono|o) \\S+ ann[io]|cumpl(?:e|o|en) \\S+|incinta|morto|morta|casou|separou|morreu|getrouwd|gescheiden|overleden|zwanger",
		"женился|вышла замуж|развел\\p{L}+|уволил\\p{L}+|умер\\p{L}?|родил\\p{L}+|беременн\\p{L}+|переезжа\\p{L}+",
	),
	"結婚|離婚|婚約|退職|転職|妊娠|亡くな|生まれ|结婚|离婚|订婚|辞职|换工作|怀孕|去世|出生|결혼|이혼|약혼|퇴사|임신|돌아가|태어",
);

/** A person, an animal or a place gets its name. */
export const NAMING = form(
	words(
		"(?:is|are|was|he['’]?s|she['’]?s|it['’]?s) (?:called|named)|called|named|name(?:['’]?s| is)|heiß(?:t|en)|se llama[n]?|s['’]appelle(?:nt)?|si chiama(?:no)?|(?:se )?chama(?:m)?(?:-se)?|heet|heten|зовут|называется",
	),
	"という名前|って名前|名前は|叫|名字是|이름은|라고 불",
);

/** How the agent should behave, said as a complaint or a question. */
export const COMPLAINT = form(
	words(
		"(?:can|could|would|will) you (?:please |pls )?(?:not|stop|never|always)|stop (?:doing|using|sending|asking|calling|saying|writing)|no more|(?:it |that )?(?:drives me|annoys me|bugs me)|don['’]?t (?:call me|use|send me|give me|ask me|write me)|(?:that['’]?s |is )my (?:\\p{L}+ )?rule",
		"hör auf|lass das|nervt mich|kannst du (?:bitte )?(?:nicht|aufhören|immer)|deja de|no me (?:mandes|escribas|llames)|me molesta|arrête de|ça m['’]énerve|ne m['’]\\p{L}+ pas|smettila|(?<!no )para de|stop met|перестань|не (?:пиши|присылай|называй)",
	),
	"やめて|しないで|不要再|别再|하지 ?마",
);

/** A word with a capital inside a sentence, or at its beginning where not even "i" has one. */
export const NAME =
	/^\p{Lu}\p{Ll}+ .*(?<![\p{L}'’])i(?:['’]?m|['’]?ve|['’]ll|['’]d)?(?![\p{L}'’])|(?<=[\p{L},] )(?<!(?<!\p{L})(?:der|die|das|de[nms]|eine?[mnrs]?|keine?[mnrs]?|im|am|beim|zum|zur|vom|ins|[mds]eine?[mnrs]?) )(?!(?:Uhr|Euro|Prozent|Minuten?|Stunden?|Tage?n?|Wochen?)(?!\p{L}))\p{Lu}\p{Ll}+|[\p{Script=Katakana}ー]{3,}/u;
export const THANKS = form(
	words("thanks?|thank you|thx|danke|gracias|merci|grazie|obrigad\\p{L}|hello|hi|hey|hallo|hola|bonjour"),
);

export function isAboutHealth(sentence: string): boolean {
	return HEALTH.test(sentence);
}

export function namesValue(sentence: string): boolean {
	return VALUED.test(sentence);
}
