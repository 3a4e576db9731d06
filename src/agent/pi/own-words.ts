/** `/skill:name words`, if Pi has put the skill's whole text before the user's words. Keeps any other text. */
export function ownWordsInPi(text: string): string {
	const name = /^<skill name="([^"\n]{1,100})" location="[^"\n]*">\n/.exec(text)?.[1];
	const end = text.indexOf("\n</skill>");
	if (name === undefined || end === -1) return text;
	return `/skill:${name} ${text.slice(end + "\n</skill>".length)}`;
}
