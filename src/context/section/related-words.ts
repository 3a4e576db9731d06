/**
 * Words of the trade that are about the same subject: a user who asks to keep "the login" means the lines on passwords and tokens
 * too. Each line is one subject, in the languages of our users. A word that is missing here is looked for itself, as any other.
 */

const SUBJECTS = [
	"login signin sign-in logon auth authentication authorization session password credential token oauth sso anmeldung passwort contraseña sesión connexion ログイン 認証 パスワード 登录 密码 认证 로그인 비밀번호 인증",
	"database db sql postgres mysql sqlite mongo redis schema migration datenbank tabelle データベース 数据库 数据表 데이터베이스 디비",
	"deploy deployment release rollout ship publish staging production prod ausliefern veröffentlich despliegue デプロイ リリース 部署 发布 上线 배포",
	"speed performance perf slow fast latency ms p95 throughput benchmark timeout geschwindigkeit langsam schnell rendimiento lento velocidad 性能 速度 遅い 慢 성능 속도 느려",
	"design style css colour color theme layout font aussehen farbe estilo diseño 見た目 デザイン 样式 外观 颜色 디자인 스타일",
	"money payment pay price billing invoice checkout refund currency vat zahlung rechnung preis pago factura precio 支払 請求 価格 支付 付款 发票 价格 결제 청구 가격",
	"mail email smtp mailbox inbox newsletter correo メール 邮件 메일",
	"picture image photo screenshot thumbnail avatar icon png jpg svg bild imagen captura 画像 写真 图片 截图 이미지 사진",
	"settings setting config configuration option env flag einstellung konfiguration ajuste configuración 設定 配置 设置 설정",
	"dependency dependencies package library lib npm pnpm yarn lockfile abhängigkeit dependencia biblioteca 依存 ライブラリ 依赖 라이브러리 의존",
	"translation i18n l10n locale language übersetzung sprache traducción idioma 翻訳 言語 翻译 语言 번역 언어",
	"network http endpoint url port socket proxy host server netzwerk ネットワーク 网络 네트워크",
	"memory heap leak oom ram speicher memoria メモリ 内存 메모리",
	"security secret vulnerability injection permission xss csrf sicherheit seguridad セキュリティ 安全 漏洞 보안",
	"schedule cron timer nightly interval zeitplan horario 定期 定时 스케줄 크론",
	"docs documentation readme changelog doku documentación ドキュメント 文档 문서",
	"test tests spec coverage jest vitest pytest prueba テスト 测试 테스트",
	"format formatting indent indentation tabs spaces prettier whitespace einrückung sangría インデント 缩进 들여쓰기",
	"people owner reviewer approver approval approve signs sign-off colleague kollege responsable 担当 负责 담당",
	"deadline date due launch demo termin frist fecha plazo 締切 期限 日程 截止 마감",
].map((words) => words.split(" "));

/** A form of a word: "translating", "passwords". Shorter beginnings are those of other words too. */
const MIN_SHARED_START = 5;

export function relatedWords(term: string): readonly string[] {
	const isLatin = /^[\p{Script=Latin}]+$/u.test(term);
	const isForm = (word: string) =>
		word === term ||
		(isLatin && word.length >= MIN_SHARED_START && term.startsWith(word)) ||
		(isLatin && term.length >= MIN_SHARED_START && word.startsWith(term)) ||
		(!isLatin && term.includes(word));
	return SUBJECTS.filter((subject) => subject.some(isForm))
		.flat()
		.filter((word) => word !== term);
}
