/** A user who writes Chinese. */
import { sceneWords } from "./scene-words.ts";

export const CHINESE = sceneWords({
	language: "Chinese",
	rules: `
		先说一下，«绝对不要直接推到main»
		导入有点慢，看一下。另外«这个仓库不用lodash»
		«测试文件放在源文件旁边。»
		«每个公开函数都要写一行说明»
		«vendor/下面的东西别动»
		«提交信息用英文，不超过60个字符»
		«说完成之前先跑一遍npm run lint»
		接口方面，«错误只返回{code, message}»
		«这里用pnpm，npm会弄坏lockfile»
		«加依赖之前先问我»
		«界面上统一用“您”»
		对了，«快照文件是生成的，请勿修改»
		«时间一律存UTC»
		«每个迁移都必须能回滚»
		«没改到的文件不要重新格式化»
		还有一条：«禁止default export»
		«拿不准就问，别猜»
		«我要小提交，一次只改一件事»
		记住，«预发库是共用的，不能跑破坏性查询»
		«日志里不得出现邮箱地址»
		«我们支持Node 20，更新的特性不能用»
		«打包体积保持在90 kB以内»
		«没有我同意不准改src/legacy»
		«注释用中文写»
		«一个PR只动一个包»
		«功能开关默认关闭»
		«密钥放保险库，不要写进.env»
		«按现有的目录结构来»
		«测试不稳定就告诉我，别一直重试»
		«用户能看到的改动都要写进CHANGELOG»
		«缩进用tab»
		«金额用整数分，严禁浮点»
		«截图放到docs/img»
		«以后回答用简短的要点»
		«解析html尽量别用正则»
		«公开API保持不变»
		«界面里不许出现“租户”这个词，要说“工作区”»
		«每一步之后都要确保CLI离线可用»
		«合并的代码里不能有TODO注释»
		«只跑改动的包的测试，全跑要40分钟»
		«表结构改动只有Marta能批»
		«这里不要用git stash»
		«库代码不抛异常，统一返回结果»
		«所有接口都需要限流，没有例外»
		«渲染器里优先用组合而不用继承»
		«演示数据要保持确定性»
		线上日志可以看，但«生产环境对你是只读的»
		«文件名一律kebab-case»
		«新组件都得有story»
		«别再在每次回答最后做总结»
	`,
	corrections: `
		«中继监听7443端口» || 抱歉，«中继现在在8443，不是7443»
		«存储的PR由Marta审» || «存储的PR现在由Jonas审，不再是Marta»
		«上传超时是30秒» || 更正一下，«上传超时应该是45秒»
		«桶的名字是acme-uploads-eu» || «桶的名字是acme-media-eu，不是acme-uploads-eu»
		«我们周四发布» || «发布从周四改到周二»
		«遇到503重试三次» || «重试五次吧，三次太少»
		«开关叫ENABLE_FASTPATH» || 我记错了，«开关是FASTPATH_ENABLED»
		«每页最多200条» || «每页最多改成500条»
		«请求头是X-Trace-Token» || «请求头是X-Request-Trace而不是X-Trace-Token»
		«令牌15分钟过期» || «令牌现在60分钟过期，15分钟老掉线»
		«服务账号是svc-builder» || «用svc-release，svc-builder已经删了»
		«配置在config/base.yml» || «config/base.yml改名为settings/core.yml了»
		«警告用橙色» || «警告用琥珀色，不用橙色了»
		«队列名是ingest-v2» || 等等，«队列应该是ingest-v3»
		«数据库是Postgres 14» || «上周起数据库是Postgres 16»
		«从develop拉分支» || «从trunk拉分支，develop废弃了»
		«发票四舍五入» || «发票用银行家舍入，不是四舍五入»
		«API前缀是/api/v1» || «把API前缀从/api/v1改成/api/v2»
		«备份保留14天» || «备份保留30天，不是14天»
		«计费模块归Priya» || «Priya离职了，计费模块归Tomas»
		«压缩用gzip» || «还是用zstd压缩，gzip去掉»
		«缓存TTL 300» || «缓存TTL 900，300把源站打挂了»
		«定时任务02:00跑» || 我弄错了，«定时任务04:30跑»
		«图片走imgproxy» || «图片不再走imgproxy，改走thumbor»
		«密码至少8位» || «密码至少12位»
		«应用ID是com.acme.field» || «正确的应用ID是com.acme.fieldwork»
		«线上日志级别info» || «线上日志级别应为warn，info太吵»
		«沙箱租户是t-1180» || «不是t-1180，我是说t-1810»
		«区域用us-east-1» || «区域用eu-central-1，别管us-east-1了»
		«webhook密钥在kv/hooks» || «webhook密钥挪到了kv/webhooks/prod»
		«有4个worker» || «其实有6个worker»
		«每批1000行» || «每批250行，1000行内存扛不住»
		«默认语言zh-CN» || «默认语言必须是zh-TW»
		«检查器叫fencepost» || «fencepost是错的，检查器叫gatepost»
		«SMTP走mail01» || «SMTP走mail02，mail01下线了»
		«上传上限25 MB» || «上传上限现在是40 MB»
		«解析器在lib/parse.ts» || «解析器在lib/reader/parse.ts，不在lib/parse.ts»
		«最低支持Safari 15» || «最低支持Safari 16了»
		«史诗单是PLAT-310» || «史诗单写错了，是PLAT-331»
		«文档用mkdocs生成» || «文档从mkdocs换成starlight了»
		«免费版3个项目» || «免费版给5个项目»
		«健康检查是/healthz» || «健康检查换到/livez了»
		«预发redis是10.0.4.12» || «预发redis是10.0.4.21，我把数字写反了»
		«价格显示USD» || «价格显示EUR，不是USD»
		«发布日期5月12日» || «发布日期推迟到5月26日»
		«锁持有10秒» || «锁持有25秒，而不是10秒»
		«管理员组是ops-admins» || «管理员组叫platform-admins，ops-admins已经没有了»
		«表名前缀app_» || «表名前缀改用core_»
		«采样率0.1» || «采样率以后是0.25»
		«文案由Ana签字» || «不对，文案由Bea签字，Ana休假了»
	`,
	decisions: `
		«本地存储就用sqlite» || «不用sqlite了，本地存储用leveldb»
		好，«我们用server-sent events» || «改主意了，用websockets，不用server-sent events»
		«决定了：两个客户端一个仓库» || «两个客户端还是分成两个仓库»
		«旧接口再留一个版本» || «旧接口不留了，直接删掉»
		«校验用zod» || «校验用valibot代替zod»
		«在服务端渲染» || «还是回到客户端渲染，服务端太慢»
		«宁可一张大表» || «拆成五张表，一张大表是个错误»
		«日期用date-fns» || «日期不用date-fns，用temporal»
		«认证用bearer令牌» || «认证用cookie，不用bearer令牌»
		«向导做三步» || «向导改成两步，三步太烦»
		«用数据库触发器做» || «不用触发器，放在应用代码里做»
		«继续用jest» || «从jest换到vitest»
		«暂时不支持插件» || «插件还是要支持»
		«编辑器失焦时保存» || «编辑器每5秒保存，不是失焦时»
		«客户用软删除» || «客户用硬删除，法务要求»
		«我们选protobuf» || «用json，不用protobuf»
		«以蓝色主题为基础» || «以深色主题为基础，不是蓝色主题»
		«列表按名称排序» || «列表按日期排序，而不是按名称»
		«ID用ulid» || «ID用uuidv7，不要ulid»
		«把设置页合并» || «设置页不合并了，保持分开»
		«附件存数据库» || «附件存对象存储，不存数据库»
		«确认用弹窗» || «确认用toast，不用弹窗»
		«保留helm» || «换kustomize，不要helm了»
		«worker单独部署» || «worker和api还是一起部署»
		«邀请一周后过期» || «邀请永不过期»
	`,
	takenBack: `
		«提交信息里不要表情» || «提交信息里可以用表情了»
		«不要自己跑e2e套件» || «e2e套件现在可以自己跑了»
		«别碰Dockerfile» || «Dockerfile现在可以改了»
		«删文件前必须问我» || «删文件前不用再问我了»
		«函数不超过30行» || «函数30行的限制取消»
	`,
	requests: `
		修一下购物车为空时的崩溃，并加个测试。
		查查第二次导入为什么这么慢。
		小屏幕上图表的提示被截断了，麻烦修一下。
		把格式化总额的函数改个名字。
		给report命令加--json。
		昨天开始构建有警告，找找原因。
		搜索框刷新后要保留文字。
	`,
	questions: `
		第二个参数是什么意思？
		监听器为什么要轮询？
		现在打包多大？
		第一次为什么失败？
		两个显示器也能用吗？
	`,
	agreed: "明白:",
});
