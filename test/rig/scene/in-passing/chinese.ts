/** A user who writes Chinese in a hurry: rules in the middle of an order, half sentences, lists, and politeness. */
import { sceneWords } from "../scene-words.ts";

export const CHINESE_IN_PASSING = sceneWords({
	language: "Chinese in passing",
	rules: `
		csv导出有乱码，修一下哈，«列的顺序别变，财务那边是按位置导入的»
		帮忙看看那个偶尔挂的上传测试，«测试里别写sleep，等事件»
		«这个仓库我们不force push的»，其他你随便整理分支
		麻烦«结账页的文案保持法务写的原样»，布局你可以改
		给客户端加上重试（还有«请求体别打到日志里，里面有卡号»）
		«我不太喜欢mock，测试里能用真库就用真库»
		修一下手机上的页头。对了«仓库那台旧iPad还得能用，每次都在768px下看一眼»
		«最近在查云费用，会新开实例的东西没我点头不要搞»
		三件事：job改名，没用的列删掉，还有«往后迁移单独提PR»
		«能不能用普通句子回答，别用表格？我在手机上看。»
		«typescript就算麻烦也保持strict»
		«动auth之前跟我说一声。»清单里剩下的不用问
		«复现不了的bug就直说，别猜着改»
		«宁可直接报错也不要返回null»
		«用makefile里的target，不要直接敲命令，CI也是这么跑的»
		今天的：⏎1. 翻页差一的问题⏎2. «每页绝不超过100条»⏎3. 两个都加测试
		«错误码编号不要动，客服的模板里用着»
		«要是超过200行左右先来找我»
		«生成的代码不手改»
		跑一下回填，不过«分批跑让从库跟得上，所有回填都这样»
	`,
	corrections: `
		导入从«/srv/inbox/orders»取文件 || 我看了下，«是/srv/drop/orders，春天挪过去的»
		测试调用统一用«供应商id是40721» || «供应商id 40712，数字写反了»
		«价格的事问Hanna» || «价格的问题今天起找Oskar，Hanna换组了»
		«报表周一跑» || «报表改周三吧，周一数据还没齐»
		那个服务«放在fly.io上» || «fly.io不考虑了，跑在我们自己的hetzner机器上»
		«缩略图宽320» || «缩略图宽480，320太糊»
		«信息流旧的在前» || «信息流要新的在前»
		«设置页做成抽屉» || «还是不要抽屉了，设置页用普通页面»
		kafka的topic是«shop.orders.raw» || «我们要的topic是shop.orders.clean，raw有重复»
		«重置链接有效期一天» || «重置链接20分钟，一天太离谱»
		«演示定在14号» || «演示提前到11号了！»
		«截图由Lea负责» || «Lea病了，截图Mirko来»
		«登录最多试5次» || «登录10次才锁，5次把一半销售锁外面了»
		«满50欧免运费» || «这周起满39欧免运费»
		«预发环境是stage.brightcart.dev» || «预发环境在next.brightcart.dev，stage那个废了»
		«docker镜像用node 18» || «docker镜像上node 22，18停止维护了»
		«手机号必填» || «手机号改成选填»
		«哈希用argon2» || «哈希用bcrypt，argon2过不了fips»
		«礼品卡不能叠加» || «礼品卡可以叠加了»
		«提示框悬停时出现» || «提示框点击时出现，触屏没有悬停»
		«试用期14天» || «试用期现在是21天»
		«邮件走postmark» || «邮件走ses，postmark合同到期»
	`,
	decisions: "",
	takenBack: `
		«你别自己提交» || «以后你可以自己提交了»
		«样式先别动» || «样式现在可以动了»
		«每一步做之前先解释» || «不用再每一步都解释了»
		«每次先给我看diff» || «diff不用再给我看了»
	`,
	requests: `
		好，接下来订单列表：取消的订单出现两次，看一下
		做个退货页面，样子跟订单页一样
		夜间同步又在3点停了，为什么
		让筛选器记住我选的
		把那个目录里没用的import清掉
	`,
	questions: `
		那两个hook有什么区别？
		为什么第二次更慢？
		这个也走缓存吗？
		里面大概有多少行？
	`,
	agreed: "明白：",
});
