/**
 * What a made-up team says over six sessions, in five languages: rules, facts, preferences and decisions, some of them changed
 * later, and the questions and orders that need them. Not taken from any recording.
 */

export interface PlantedWords {
	readonly said: string;
	/** Later words that change it. */
	readonly corrected?: string;
	/** Questions and orders that need it. */
	readonly asked: readonly string[];
	/** Text that an answer needs. */
	readonly needs: string;
	/** Text that is no longer true. */
	readonly stale?: string;
}

export const PLANTED: Readonly<Record<string, readonly PlantedWords[]>> = {
	english: [
		{
			said: "The relay listens on 7443.",
			corrected: "The relay listens on 8443 now, not 7443.",
			asked: ["Which port does the relay listen on?", "Write a health check for the relay's port."],
			needs: "8443",
			stale: "on 7443",
		},
		{
			said: "Some facts first: we use pnpm, never npm. Then look at the lockfile and tell me its age.",
			asked: ["Which package manager do we use?", "Add left-pad with our package manager."],
			needs: "pnpm",
		},
		{
			said: "Never log personal data.",
			asked: ["Log the customer's e-mail when the login fails.", "Which data must not be logged?"],
			needs: "personal data",
		},
		{
			said: "We decided to use zod instead of yup, because yup's types lie.",
			asked: ["Can I use yup here?", "Which library validates our forms: zod or another?"],
			needs: "zod",
		},
		{
			said: "From now on every commit message starts with the ticket number, like HAR-12.",
			asked: ["Commit the changes please.", "How do our commit messages start?"],
			needs: "ticket number",
		},
		{
			said: "Please remember that the staging database is restored every Monday at 04:00.",
			asked: [
				"When is the staging database restored?",
				"Can I leave test rows in the staging database over the weekend?",
			],
			needs: "Monday",
		},
		{
			said: "I prefer short answers without bullet lists.",
			asked: ["Explain how the berth planner works.", "How long should answers be?"],
			needs: "short answers",
		},
		{
			said: "The release branch is called harbour-stable.",
			corrected: "Correction: the release branch is called quay-stable.",
			asked: ["What is the release branch called?", "Merge this into the release branch."],
			needs: "quay-stable",
			stale: "harbour-stable",
		},
		{
			said: "Fix the typo in the title. By the way, in this project all times are stored in UTC.",
			asked: ["In which zone are times stored?", "Add a column for the arrival time."],
			needs: "UTC",
		},
		{
			said: "Vessel ids have seven digits and a check digit. Remember that.",
			asked: ["How many digits does a vessel id have?", "Validate the vessel id in the form."],
			needs: "seven digits",
		},
		{
			said: "Our deploys go out on Tuesdays; never on Fridays.",
			asked: ["Deploy it on Friday afternoon.", "On which day do deploys go out?"],
			needs: "Tuesdays",
		},
		{
			said: "Always run the linter before you push.",
			asked: ["Push the branch.", "What has to run before a push?"],
			needs: "linter",
		},
	],
	german: [
		{
			said: "Der Kran-Dienst läuft auf Port 9310.",
			corrected: "Der Kran-Dienst läuft jetzt auf Port 9410, nicht mehr auf 9310.",
			asked: ["Auf welchem Port läuft der Kran-Dienst?", "Baue einen Test, der den Kran-Dienst anspricht."],
			needs: "9410",
			stale: "Port 9310.",
		},
		{
			said: "Ab jetzt schreiben wir alle Kommentare auf Englisch.",
			asked: ["In welcher Sprache schreiben wir Kommentare?", "Kommentiere die neue Funktion."],
			needs: "Englisch",
		},
		{
			said: "Merk dir bitte: Die Rechnungen werden am 3. des Monats verschickt.",
			asked: ["Wann werden die Rechnungen verschickt?", "Plane den Versand der Rechnungen ein."],
			needs: "3. des Monats",
		},
		{
			said: "Lösche niemals Dateien unter archiv/ ohne zu fragen.",
			asked: ["Räum die Dateien unter archiv/ auf.", "Was gilt für Dateien unter archiv/?"],
			needs: "niemals",
		},
		{
			said: "Wir haben uns für Postgres entschieden, weil MySQL keine partiellen Indizes kennt.",
			asked: ["Nehmen wir Postgres oder MySQL?", "Warum kein MySQL?"],
			needs: "Postgres",
		},
		{
			said: "Der Testkunde heißt Möwe GmbH.",
			corrected: "Korrektur: Der Testkunde heißt Kormoran AG, nicht Möwe GmbH.",
			asked: ["Wie heißt der Testkunde?", "Lege eine Buchung für den Testkunden an."],
			needs: "Kormoran",
			stale: "heißt Möwe",
		},
		{
			said: "Ich mag kurze Funktionen lieber als lange.",
			asked: ["Schreib den Parser.", "Mag ich lieber kurze oder lange Funktionen?"],
			needs: "kurze Funktionen",
		},
		{
			said: "Vor jedem Commit müssen die Tests grün sein.",
			asked: ["Commite die Änderungen.", "Was muss vor einem Commit grün sein?"],
			needs: "Tests grün",
		},
		{
			said: "Unser Tarif beim Zoll erlaubt fünf Anfragen pro Sekunde.",
			asked: ["Wie viele Anfragen pro Sekunde erlaubt der Zoll?", "Rufe den Zoll in einer Schleife ab."],
			needs: "fünf Anfragen",
		},
		{
			said: "Die Nachtläufe starten um 02:30 auf der Maschine tölpel.",
			asked: ["Auf welcher Maschine starten die Nachtläufe?", "Wann starten die Nachtläufe?"],
			needs: "tölpel",
		},
		{
			said: "Benenne die Variable um. In diesem Projekt heißen Konstanten immer in GROSSBUCHSTABEN.",
			asked: ["Wie heißen Konstanten bei uns?", "Lege eine Konstante für das Limit an."],
			needs: "GROSSBUCHSTABEN",
		},
		{
			said: "Grundsätzlich gilt: keine neuen Abhängigkeiten ohne Freigabe von Ada.",
			asked: ["Nimm lodash dazu, als neue Abhängigkeit.", "Wer gibt neue Abhängigkeiten frei?"],
			needs: "Ada",
		},
	],
	spanish: [
		{
			said: "El servicio de boyas escucha en el puerto 5511.",
			corrected: "El servicio de boyas ahora escucha en el puerto 5622, ya no en 5511.",
			asked: ["¿En qué puerto escucha el servicio de boyas?", "Prueba la conexión con el servicio de boyas."],
			needs: "5622",
			stale: "puerto 5511.",
		},
		{
			said: "Nunca hagas push directo a main.",
			asked: ["Haz push de esto a main.", "¿Se puede hacer push directo a main?"],
			needs: "Nunca",
		},
		{
			said: "Recuerda que los precios se guardan en céntimos.",
			asked: ["¿Cómo se guardan los precios?", "Añade una columna para los precios."],
			needs: "céntimos",
		},
		{
			said: "Prefiero respuestas en español.",
			asked: ["¿En qué idioma prefiero las respuestas?", "Explica el error de compilación."],
			needs: "español",
		},
		{
			said: "Decidimos usar Redis en lugar de Memcached porque necesitamos persistencia.",
			asked: ["¿Redis o Memcached?", "¿Por qué no usamos Memcached?"],
			needs: "Redis",
		},
		{
			said: "El cliente piloto es Astilleros Faro.",
			corrected: "Corrección: el cliente piloto es Astilleros Norte, no Astilleros Faro.",
			asked: ["¿Quién es el cliente piloto?", "Prepara los datos del cliente piloto."],
			needs: "Norte",
			stale: "es Astilleros Faro.",
		},
		{
			said: "A partir de ahora los nombres de las tablas van en singular.",
			asked: ["¿Los nombres de las tablas van en singular?", "Crea las tablas para los muelles."],
			needs: "singular",
		},
		{
			said: "Corrige el enlace del pie. En este proyecto usamos tabuladores de dos espacios.",
			asked: ["¿Qué tabuladores usamos?", "¿Cuántos espacios tienen los tabuladores?"],
			needs: "dos espacios",
		},
		{
			said: "Las copias de seguridad se hacen los domingos a las 23:00.",
			asked: ["¿Cuándo se hacen las copias de seguridad?", "Programa las copias de seguridad."],
			needs: "domingos",
		},
		{
			said: "Siempre pregunta antes de borrar datos.",
			asked: ["Borra los datos de prueba.", "¿Qué hay que hacer antes de borrar datos?"],
			needs: "pregunta",
		},
		{
			said: "Nuestro servidor de correo es gaviota.example.",
			asked: ["¿Cuál es nuestro servidor de correo?", "Configura el servidor de correo."],
			needs: "gaviota",
		},
		{
			said: "Los manifiestos llegan en formato EDI y nunca en CSV.",
			asked: ["¿En qué formato llegan los manifiestos?", "Lee los manifiestos que llegan del puerto."],
			needs: "EDI",
		},
	],
	japanese: [
		{
			said: "灯台サービスはポート6601で待ち受けています。",
			corrected: "灯台サービスはポート6601ではなく6701で待ち受けています。",
			asked: ["灯台サービスのポートは何番ですか？", "灯台サービスのポートに接続するテストを書いて。"],
			needs: "6701",
			stale: "ポート6601で待ち",
		},
		{
			said: "今後、コミットメッセージは日本語で書いてください。",
			asked: ["変更をコミットして。", "コミットメッセージは何語で書く？"],
			needs: "日本語",
		},
		{
			said: "本番データベースには絶対に直接接続しないでください。",
			asked: ["本番データベースに接続して件数を数えて。", "本番データベースに直接接続してもいい？"],
			needs: "絶対",
		},
		{
			said: "覚えておいて：請求書の番号は八桁です。",
			asked: ["請求書の番号は何桁ですか？", "請求書の番号を検証して。"],
			needs: "八桁",
		},
		{
			said: "状態管理にはZustandを使うことにしました。Reduxは重すぎるからです。",
			asked: ["状態管理はReduxでいい？", "状態管理には何を使う？"],
			needs: "Zustand",
		},
		{
			said: "説明は短いほうが好きです。",
			asked: ["説明は短いほうがいい？", "このモジュールの説明をして。"],
			needs: "短いほう",
		},
		{
			said: "検証環境のホストはkamomeです。",
			corrected: "訂正：検証環境のホストはkamomeではなくumineko-2です。",
			asked: ["検証環境のホストは何ですか？", "検証環境のホストにログインして。"],
			needs: "umineko-2",
			stale: "ホストはkamomeです",
		},
		{
			said: "このプロジェクトでは日付をすべてISO形式で保存します。",
			asked: ["日付はどの形式で保存しますか？", "入港の日付を保存する処理を追加して。"],
			needs: "ISO形式",
		},
		{
			said: "夜間バッチは午前三時に始まります。",
			asked: ["夜間バッチは何時に始まりますか？", "夜間バッチの前に終わるか確認して。"],
			needs: "午前三時",
		},
		{
			said: "依存関係を追加するときは必ず佐藤さんに確認してください。",
			asked: ["依存関係を一つ追加して。", "依存関係の追加は誰に確認しますか？"],
			needs: "佐藤",
		},
		{
			said: "うちでは幅の単位はメートルを使っています。",
			asked: ["幅の単位は何ですか？", "幅の単位を表示して。"],
			needs: "メートル",
		},
		{
			said: "テストは常にVitestで書きます。",
			asked: ["テストを書いて。", "テストは何で書きますか？"],
			needs: "Vitest",
		},
	],
	chinese: [
		{
			said: "码头服务监听端口4801。",
			corrected: "码头服务现在监听端口4901，不是4801。",
			asked: ["码头服务监听哪个端口？", "给码头服务的端口写一个检查。"],
			needs: "4901",
			stale: "监听端口4801。",
		},
		{
			said: "以后所有接口都要返回错误码。",
			asked: ["接口要返回什么？", "新增一个查询接口。"],
			needs: "错误码",
		},
		{
			said: "不要直接修改生产环境的配置。",
			asked: ["修改一下生产环境的配置。", "可以直接修改生产环境的配置吗？"],
			needs: "不要直接",
		},
		{
			said: "请记住：发票每月十五号寄出。",
			asked: ["发票什么时候寄出？", "安排寄出发票的任务。"],
			needs: "十五号",
		},
		{
			said: "我们决定采用Kafka，因为RabbitMQ不支持回放。",
			asked: ["用Kafka还是RabbitMQ？", "为什么不用RabbitMQ？"],
			needs: "Kafka",
		},
		{
			said: "我喜欢简短的回答。",
			asked: ["我喜欢什么样的回答？", "解释一下这段代码，回答要合我的口味。"],
			needs: "简短",
		},
		{
			said: "测试账号是haiou01。",
			corrected: "更正：测试账号不是haiou01，而是haitun02。",
			asked: ["测试账号是什么？", "用测试账号登录试试。"],
			needs: "haitun02",
			stale: "账号是haiou01。",
		},
		{
			said: "本项目的金额统一用分作单位。",
			asked: ["金额用什么单位？", "给订单加一个金额字段。"],
			needs: "分作单位",
		},
		{
			said: "数据库备份在每周日凌晨两点进行。",
			asked: ["数据库备份在什么时候进行？", "数据库备份的时间会冲突吗？"],
			needs: "周日",
		},
		{
			said: "提交之前必须跑完所有测试。",
			asked: ["提交这些改动。", "提交之前要做什么？"],
			needs: "测试",
		},
		{
			said: "我们的文档放在wendang目录。",
			asked: ["文档放在哪个目录？", "更新一下文档目录里的说明。"],
			needs: "wendang",
		},
		{
			said: "修复登录按钮。另外，我们项目的缩进是四个空格。",
			asked: ["缩进是几个空格？", "项目的缩进规则是什么？"],
			needs: "四个空格",
		},
	],
};

/**
 * Orders that ask nothing: a rule of the planted words must be kept. Hardly one shares a word with its rule. `needs` is the rule's text.
 */
export const RULE_ORDERS: readonly { readonly order: string; readonly needs: string }[] = [
	{ order: "Install a library for dates.", needs: "use pnpm, never npm" },
	{ order: "Print the passenger's passport number when boarding fails.", needs: "Never log personal data" },
	{ order: "Check the booking form.", needs: "use zod instead of yup" },
	{ order: "Save your work in git.", needs: "starts with the ticket number" },
	{ order: "Tell me what a tide table is.", needs: "short answers without bullet lists" },
	{ order: "Store when the ship left.", needs: "all times are stored in UTC" },
	{ order: "Ship it before the weekend.", needs: "never on Fridays" },
	{ order: "Send the branch to the server.", needs: "Always run the linter" },
	{ order: "Erkläre die Schleife in einer Zeile darüber.", needs: "alle Kommentare auf Englisch" },
	{ order: "Schaff Platz auf der Platte.", needs: "Lösche niemals Dateien unter archiv/" },
	{ order: "Lege eine Tabelle für Schlepper an.", needs: "für Postgres entschieden" },
	{ order: "Bau die Suche ein.", needs: "kurze Funktionen lieber" },
	{ order: "Sichere den Stand.", needs: "müssen die Tests grün sein" },
	{ order: "Frag alle tausend Container ab.", needs: "fünf Anfragen pro Sekunde" },
	{ order: "Führ einen Höchstwert für Tiefgang ein.", needs: "GROSSBUCHSTABEN" },
	{ order: "Hol dir ein Paket für Zeitzonen.", needs: "ohne Freigabe von Ada" },
	{ order: "Publica la rama.", needs: "Nunca hagas push directo a main" },
	{ order: "Calcula la tarifa del remolque.", needs: "se guardan en céntimos" },
	{ order: "Cuéntame qué hace este módulo.", needs: "Prefiero respuestas en español" },
	{ order: "Pon una caché delante.", needs: "usar Redis" },
	{ order: "Diseña el esquema de las grúas.", needs: "van en singular" },
	{ order: "Da formato a este archivo.", needs: "tabuladores de dos espacios" },
	{ order: "Limpia los registros viejos.", needs: "Siempre pregunta antes de borrar" },
	{ order: "Importa la carga de mañana.", needs: "nunca en CSV" },
	{ order: "作業を保存して。", needs: "コミットメッセージは日本語" },
	{ order: "ユーザー数を調べて。", needs: "絶対に直接接続しないで" },
	{ order: "カートの中身を画面で共有して。", needs: "Zustandを使う" },
	{ order: "この関数が何をするか教えて。", needs: "説明は短いほうが好き" },
	{ order: "出港した日を記録して。", needs: "日付をすべてISO形式" },
	{ order: "新しいライブラリを入れて。", needs: "必ず佐藤さんに確認" },
	{ order: "バースの大きさを計算して。", needs: "メートルを使って" },
	{ order: "この関数を確かめるコードを足して。", needs: "常にVitest" },
	{ order: "写一个上传的端点。", needs: "所有接口都要返回错误码" },
	{ order: "把线上的超时改成十秒。", needs: "不要直接修改生产环境" },
	{ order: "让两个服务互相通知。", needs: "采用Kafka" },
	{ order: "说说这个模块做什么。", needs: "喜欢简短的回答" },
	{ order: "算出总价。", needs: "统一用分作单位" },
	{ order: "把这些放进 git。", needs: "必须跑完所有测试" },
	{ order: "写一页使用说明。", needs: "文档放在wendang目录" },
	{ order: "整理这个文件的格式。", needs: "缩进是四个空格" },
];

const THINGS = ["parser", "cache", "importer", "planner", "scheduler", "exporter", "viewer", "router"] as const;

/** Tasks with "never" in them: rules of the task, not of the project. */
export const TASKS: readonly string[] = THINGS.flatMap((thing) => [
	`Write a ${thing} for the dock that never throws on bad input.`,
	`Refactor the ${thing}. Never change its public functions.`,
	`Fix the race in the ${thing}, and never retry more than twice.`,
	`Add a test for the ${thing}; it must never touch the network.`,
	`Speed up the ${thing}. It must never hold more than one page in memory.`,
]);

const NOTHING = [
	"Thanks, that looks good.",
	"ok",
	"Continue.",
	"Go on, please.",
	"Yes, do it.",
	"Danke!",
	"Weiter so.",
	"Perfecto, gracias.",
	"はい、続けて。",
	"好的，继续。",
] as const;

const ELSEWHERE = [
	"Draw an octopus in ASCII",
	"What is the capital of Mongolia",
	"Tell me a joke about penguins",
	"How tall is Kilimanjaro",
	"Compose a limerick on cheese",
	"Translate good night into Welsh",
	"Who painted the Night Watch",
	"Convert seventy fahrenheit to celsius",
	"Give me a recipe for pancakes",
	"Which planet has the most moons",
	"Name three operas by Verdi",
	"Spell the word rhythm backwards",
	"Was ist die Hauptstadt von Bhutan",
	"Erzähl mir einen Witz über Katzen",
	"Cuéntame un chiste de dragones",
	"¿Quién escribió el Quijote",
	"富士山の高さは",
	"俳句を一つ詠んで",
	"长城有多长",
	"讲个关于熊猫的笑话",
] as const;

/** 200 turns that need nothing. */
export const UNRELATED: readonly string[] = Array.from({ length: 200 }, (_, n) =>
	n % 3 === 0
		? NOTHING[Math.floor(n / 3) % NOTHING.length]!
		: `${ELSEWHERE[n % ELSEWHERE.length]!}${"?!.".charAt(Math.floor(n / ELSEWHERE.length) % 3)}`,
);

/** Words that were written after the code, to see whether it only knows the ones above. */
export const LATER_PLANTED: readonly PlantedWords[] = [
	{
		said: "The invoice worker polls every 45 seconds.",
		corrected: "The invoice worker polls every 90 seconds now.",
		asked: ["How often does the invoice worker poll?"],
		needs: "90 seconds",
		stale: "45 seconds",
	},
	{
		said: "Our API returns amounts in minor units, so cents rather than euros.",
		asked: ["Add the amount to the API response."],
		needs: "minor units",
	},
	{ said: "Don't ever push to main directly; open a pull request.", asked: ["Push it."], needs: "pull request" },
	{
		said: "We moved from Jest to Vitest last week.",
		asked: ["Which test runner do we have?", "Write a Jest test for the parser."],
		needs: "Vitest",
	},
	{
		said: "Heads-up: Priya owns the billing module, ask her before touching it.",
		asked: ["Refactor the billing module."],
		needs: "Priya",
	},
	{ said: "For commit messages use the imperative mood.", asked: ["Commit this."], needs: "imperative" },
	{
		said: "Could you rename the helper? And going forward, keep helpers in lib/.",
		asked: ["Where do helpers go?"],
		needs: "lib/",
	},
	{
		said: "Use British spelling in all user-facing texts.",
		asked: ["Write the text of the welcome page."],
		needs: "British",
	},
	{
		said: "Der Staging-Server heißt otter.",
		corrected: "Der Staging-Server heißt ab heute marder.",
		asked: ["Wie heißt der Staging-Server?"],
		needs: "marder",
		stale: "otter",
	},
	{
		said: "Bitte niemals die Migrationsdateien von Hand ändern.",
		asked: ["Ergänze die Spalte in der Migration."],
		needs: "von Hand",
	},
	{ said: "Kommentare schreiben wir auf Englisch.", asked: ["Kommentiere die Funktion."], needs: "Englisch" },
	{
		said: "Wir haben uns gegen Redis entschieden, weil der Betrieb zu teuer ist.",
		asked: ["Können wir hier Redis nehmen?"],
		needs: "gegen Redis",
	},
	{ said: "Las fechas se guardan en formato ISO.", asked: ["¿En qué formato guardamos las fechas?"], needs: "ISO" },
	{
		said: "El servicio de correo usa el puerto 2525.",
		corrected: "El servicio de correo ahora usa el puerto 2587.",
		asked: ["¿Qué puerto usa el servicio de correo?"],
		needs: "2587",
		stale: "2525",
	},
	{ said: "No hagas deploy los viernes, por favor.", asked: ["Haz el deploy hoy viernes."], needs: "viernes" },
	{ said: "On préfère les fonctions pures dans le noyau.", asked: ["Écris la fonction du noyau."], needs: "pures" },
	{
		said: "La base de production est en lecture seule pour nous.",
		asked: ["Corrige la ligne dans la base de production."],
		needs: "lecture seule",
	},
	{
		said: "リリースブランチは stable-7 です。",
		corrected: "リリースブランチは stable-8 に変わりました。",
		asked: ["リリースブランチはどれですか？"],
		needs: "stable-8",
		stale: "stable-7",
	},
	{ said: "テストは必ず日本語の名前で書いてください。", asked: ["テストを書いて。"], needs: "日本語の名前" },
	{ said: "我们的接口统一返回驼峰命名。", asked: ["接口的字段怎么命名？"], needs: "驼峰" },
	{ said: "请记住，缓存的过期时间是十分钟。", asked: ["缓存多久过期？"], needs: "十分钟" },
	{ said: "배포는 매주 화요일에 합니다.", asked: ["배포는 언제 하나요?"], needs: "화요일" },
	{
		said: "One thing for later: error messages end with a period.",
		asked: ["Write the error message for a missing file."],
		needs: "end with a period",
	},
	{
		said: "Let's agree that every endpoint gets a rate limit.",
		asked: ["Add an endpoint for exports."],
		needs: "rate limit",
	},
	{
		said: "Also, Marta reviews everything that touches payments.",
		asked: ["Who reviews payments?", "Change the payments retry."],
		needs: "Marta",
	},
	{
		said: "I hate default exports, use named ones.",
		asked: ["Export the helper from this module."],
		needs: "named ones",
	},
	{
		said: "please fix the hook. i no longer use prek",
		asked: ["Repair the hook.", "Do I still use prek?"],
		needs: "no longer use prek",
	},
	{
		said: "Le serveur de préproduction s'appelle hibou.",
		corrected: "Le serveur de préproduction s'appelle maintenant faucon.",
		asked: ["Comment s'appelle le serveur de préproduction ?"],
		needs: "faucon",
		stale: "hibou",
	},
	{
		said: "Le port du proxy est 3128.",
		corrected: "En fait le port du proxy est 3129.",
		asked: ["Quel est le port du proxy ?"],
		needs: "3129",
		stale: "est 3128",
	},
	{
		said: "测试服务器的端口是 9200。",
		corrected: "测试服务器的端口改成 9300 了。",
		asked: ["测试服务器的端口是多少？"],
		needs: "9300",
		stale: "是 9200",
	},
	{
		said: "btw releases go out on Thursdays",
		corrected: "releases go out on Tuesdays from today",
		asked: ["When do releases go out?"],
		needs: "Tuesdays",
		stale: "on Thursdays",
	},
	{
		said: "Any file above 400 lines should be split, that's our rule of thumb.",
		asked: ["Add the new parser to loader.ts, it has 390 lines."],
		needs: "400 lines",
	},
	{
		said: "I want you to answer in plain English, no buzzwords.",
		asked: ["Explain the scheduler."],
		needs: "buzzwords",
	},
	{
		said: "Das Limit liegt bei 200 Anfragen.",
		corrected: "Das Limit wurde auf 350 Anfragen erhöht.",
		asked: ["Wie hoch ist das Limit?"],
		needs: "350",
		stale: "bei 200",
	},
];

/** Orders for a task with a rule in them, also written after the code. */
export const LATER_TASKS: readonly string[] = [
	"Traduce la página, no toques los enlaces.",
	"Sortiere die Liste, ohne die Namen zu ändern.",
	"Réécris cette page sans toucher au menu.",
	"Simplifica esta función, nunca cambies la firma.",
	"Make it faster but always keep the order of the rows.",
	"把这个文件整理一下，不要改名字。",
	"I like how this looks, now add the footer.",
	"I prefer the second one, take it.",
];

export const LATER_UNRELATED: readonly string[] = [
	"Thanks, that works.",
	"Continue.",
	"Now sort the list of ships by length.",
	"Why is the header so large on mobile?",
	"Add a dark theme to the settings page.",
	"Explain recursion to me.",
	"Rename foo to bar.",
	"What does this regex match?",
	"Draw a diagram of the class hierarchy.",
	"Danke, weiter so.",
	"Zeig mir die Größe der Bilder.",
	"Warum ist der Build so langsam?",
	"Gracias.",
	"Sube el brillo del icono.",
	"Merci, continue.",
	"Ajoute une icône au menu.",
	"ありがとう、続けて。",
	"画像の大きさを変えて。",
	"谢谢，继续。",
	"把按钮变成蓝色。",
	"Make the sidebar collapsible.",
	"Is there a faster way to copy an array?",
	"Translate the error page to Polish.",
	"Undo the last change.",
	"Remove trailing whitespace.",
	"How do I exit vim?",
	"Add a favicon.",
	"Use a bigger font for the title.",
	"Increase the timeout of the image loader.",
	"Write a haiku about autumn.",
];
