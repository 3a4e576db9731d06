/** Whether a sentence of the user asks for a piece of work, by the form of the order that opens or ends it. */

/** A sentence that tells how things are, or what holds on every occasion, has one of these. */
const TELLS = String.raw`(?!.*(?<!\p{L})(?:is|are|was|were|be|must|should|may|can|cannot|has|have|needs?|will|goes|go|lives?|belongs?|comes?|takes?|never|always|only|not|every|each|when|whenever|if|unless|before|after|by default|per)(?!\p{L})|.*:(?: |$))`;

/** Asks for a piece of work now. */
const TASK = new RegExp(
	[
		"^(?:(?:please|pls|now|then|and|also|so|ok|okay|next|first|hey|hi|just|finally|can you|could you|would you|will you|i(?:'d| would)? (?:want|need|like) (?:you )?to|you can|let's|lets|go ahead and|help me)[,:]? )*(?:add|adjust|analy[sz]e|apply|bump|build|change|check|clean|collect|compare|convert|copy|count|create|debug|delete|deploy|describe|design|document|do|draft|draw|explain|export|extend|extract|fetch|find|finish|fix|format|generate|get|give|go|implement|import|improve|inline|insert|inspect|install|integrate|introduce|investigate|list|load|look|make|measure|mend|merge|migrate|move|open|optimi[sz]e|paint|parse|patch|port|prepare|print|profile|publish|pull|push|put|read|rebase|rebuild|redo|reduce|refactor|release|remove|rename|render|reorder|repair|replace|report|reproduce|resolve|restore|restructure|retry|return|revert|review|rewrite|run|search|send|set|show|simplify|solve|sort|split|start|stub|summari[sz]e|support|sync|tell|tidy|translate|trim|try|turn|tweak|undo|update|upgrade|validate|verify|wire|wrap|write)(?: (?:me|us|up|out|in|at|on|down|back|over|into|for|to|through|off))* (?:a|an|the|this|that|these|those|it|them|some|another|one|two|three|all|both|every|my|our|your|its|their|what|how|why|where|which|if|whether|again|more|new|unit|tests?|src|lib|#?\\d+(?![\\w-])|[\\w-]*[./][\\w./-]+|`)",
		"^(?:(?:please|pls|now|ok|can you|could you|let's)[,:]? )*(?:continue|proceed|fix|refactor|implement|rename|rewrite|debug|review)(?!\\p{L})",
		// An order without an article: "Install left-pad." Verbs that are hardly ever the first noun of a statement, and few words.
		`^(?:(?:please|pls|now|then|and|also|so|ok|okay|next|first|can you|could you|let's)[,:]? )*(?:add|apply|bump|clean|configure|convert|create|delete|disable|drop|enable|extract|generate|implement|inline|install|integrate|introduce|migrate|move|publish|rebase|rebuild|reinstall|remove|replace|restart|revert|scaffold|uninstall|undo|update|upgrade|wire)(?: up| out)? ${TELLS}\\S+(?: \\S+){0,5}$`,
		// Any other verb with a thing that it names: a plural noun ends in s, an order does not.
		"^(?:(?:please|pls|now|then|and|also|so|ok|okay|next|first|can you|could you|let's)[,:]? )*(?!(?:keep|use|leave|prefer|avoid|ask|treat|name|call|let|only|never|always|in|on|at|for|from|with|by|if|when|while|after|before|all|every|each|both|our|my|the|that|we|you|i|it|is|are|and|or|but|not|no|yes|as|to|of|since|because|under|over|per|remember|note|like|unlike|instead|except|besides|within|during|so|btw|fyi|well|maybe|perhaps|today|tomorrow|yesterday|now|again|there|here|then|et|mais|donc|hier|alors|[a-z]+ly|[a-z]+ment)(?!\\p{L}))[a-z]*(?:[a-rt-z]|ss)(?: (?:up|out|in|on|off|down|over|back|away|through|into|to|at|for))? (?:the|a|an|this|these|those|my|our) ",
		"^(?:(?:bitte|jetzt|dann|und|auch|kannst du|könntest du|nun)[,:]? )*(?:füge?|bau|baue|schreib|schreibe|mach|mache|änder|ändere|lösch|lösche|prüf|prüfe|zeig|zeige|erklär|erkläre|implementiere|benenne|verschieb|verschiebe|erstelle?|repariere?|beheb|behebe|korrigiere|finde?|such|suche|teste|starte|installiere|aktualisiere|lies|schau|räum|entferne?|ersetze?|passe?|leg|lege|setz|setze|zähl|zähle|mal|male|richte|übersetze?|ordne|sortiere?|teile|refaktoriere|generiere|erzeuge|optimiere|öffne|schließe|kopiere|konvertiere|formatiere|dokumentiere|kommentiere|vervollständige|zeichne|drucke|zentriere|konfiguriere|löse|analysiere|untersuche|vereinfache|schicke?|sende|kürze|ergänze|committe|deploye) ",
		"^(?:(?:por favor|ahora|luego|y|puedes|podrías)[,:]? )*(?:añade|agrega|escribe|haz|cambia|borra|elimina|revisa|muestra|muéstrame|explica|implementa|renombra|mueve|crea|arregla|corrige|busca|prueba|ejecuta|lee|mira|quita|reemplaza|pon|cuenta|actualiza|instala|limpia|traduce|ordena|separa|divide|reescribe|refactoriza|genera|comprueba|ajusta|mejora|optimiza|depura|despliega|publica|abre|cierra|copia|convierte|formatea|documenta|completa|termina|prepara|dibuja|imprime|configura|resuelve|soluciona|investiga|analiza|simplifica|envía|descarga|sube) ",
		"^(?:(?:s'il te plaît|maintenant|ensuite|et|peux-tu|pourrais-tu)[,:]? )*(?:ajoute|écris|fais|change|supprime|vérifie|montre|explique|implémente|renomme|déplace|crée|répare|corrige|cherche|teste|lance|lis|regarde|remplace|mets|installe|nettoie|traduis|réécris|refactorise|trie|sépare|divise|génère|ajuste|améliore|optimise|publie|ouvre|ferme|copie|convertis|formate|documente|commente|complète|termine|prépare|dessine|imprime|configure|résous|analyse|simplifie|envoie|télécharge) ",
		"^(?:пожалуйста,? )?(?:добавь|напиши|сделай|измени|удали|проверь|покажи|объясни|исправь|создай|найди|запусти|переименуй|установи|очисти) ",
		"(?:並べ替え|入れ替え|置き換え|翻訳|整理|追加|修正|実装|作成|変更|削除|確認|説明|調査|改名|移動|更新|テスト|書|直|作|見|調べ|数え)(?:し|い|っ|き|て)?て(?:ください|下さい|くれ|ほしい|もらえ|。|$)",
		"^(?:请|麻烦|帮我|帮忙|现在|然后)?(?:你)?(?:帮我|给我|把|修复|修一下|添加|加一个|加个|写一个|写个|实现|重构|删除|检查|看看|看一下|解释|运行|跑一下|更新|创建|新建|找|改一下|重命名)",
		// As nouns the same words open a statement: "测试放在 tests 目录".
		"^(?:请|麻烦|帮我|帮忙|现在|然后)?(?:你)?(?:清理|清空|安装|卸载|升级|迁移|替换|优化|调整|修改|编写|生成|整理|移除|移动|回滚|恢复|拆分|打包|部署|合并|提交|测试|格式化)(?!.*(?:[是在用放要必都须只不由时前后每按走至]|改成|改为|换成|了[。！]?$))(?:一下)?[^，,]{1,24}$",
		"(?:추가|수정|구현|작성|변경|삭제|확인|설명|고쳐|만들어|바꿔|찾아|실행|보여|옮겨|리팩터링)(?:해|하)? ?(?:줘|주세요|주십시오|봐)",
	].join("|"),
	"iu",
);

export function asksForWork(sentence: string): boolean {
	return TASK.test(sentence);
}
