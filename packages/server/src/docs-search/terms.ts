const stopWords = new Set(
  `a about after all also am an and any anybody anyone are as at be been but by came can come could did do does everybody
  everyone for from get gets got had has have how i if in into is it its just let me my no not of off on once one or our
  out over people please shall should so some somebody someone still such than that the their them then there these they
  this those to too up us use uses using was we were what when where which while who why will with without would you
  your`.split(/\s+/),
);

/** Of these the words that tell how something is asked: who, why, or that it is not so. Those on a line mean the same here. */
const questionWords = new Map(
  `how; what; who; why; when; where; which; can; me my i our us we; not no without never nobody; do does did; be am are is was;
  somebody someone anybody anyone`
    .split(';')
    .flatMap((line) => {
      const words = line.trim().split(/\s+/);
      return words.map((word): [string, string] => [word, `?${words[0]}`]);
    }),
);

/** The words of a text that tell how it asks, each once. No term is like any of them. */
export function questionWordsOf(text: string): string[] {
  const words =
    text
      .toLowerCase()
      .replaceAll(/n['’]t\b/g, ' not')
      .match(/\p{L}+/gu) ?? [];
  return [...new Set(words.flatMap((word) => questionWords.get(word) ?? []))];
}

/** Words that are one in some texts and several in others, such as mini-app, are found by all their forms. */
export function splitWords(text: string): string[] {
  return (text.match(/[\p{L}\p{N}]+(?:-[\p{L}\p{N}]+)*/gu) ?? []).flatMap(spellings);
}

function spellings(word: string): string[] {
  if (word.includes('-')) {
    const parts = word.split('-');
    return parts.length === 2 ? [...parts, parts.join('')] : parts;
  }
  const parts = word.match(/[\p{Lu}\p{N}]*[\p{Ll}\p{N}]+|[\p{Lu}\p{N}]+/gu) ?? [];
  return parts.length > 1 && /\p{Ll}\p{Lu}/u.test(word) ? [word, ...parts] : [word];
}

/** The same few thousand words make up all pages, so each is worked out once. */
const known = new Map<string, string | undefined>();

/** What a word is compared by: its stem in small letters. Undefined for words that say nothing. */
export function toTerm(word: string): string | undefined {
  if (known.has(word)) return known.get(word);
  const term = readTerm(word);
  known.set(word, term);
  return term;
}

/** Words that people use for what the pages call otherwise, by their stems. */
const otherWords: Readonly<Record<string, string>> = {
  async: 'asynchronous',
  seed: 'recovery',
  tgr: 'rul',
  uninstall: 'remov',
};

function readTerm(word: string): string | undefined {
  const plain = word.toLowerCase().normalize('NFKD').replace(/\p{M}/gu, '');
  if (stopWords.has(plain)) return undefined;
  const term = stem(irregular.get(plain) ?? plain);
  return otherWords[term] ?? term;
}

/** Forms that no ending tells, after the word they belong to. */
const irregular = new Map(
  `break broke broken; bring brought; buy bought; choose chose chosen; forget forgot forgotten; give gave given; hold held;
  keep kept; lose lost; make made; pay paid; run ran; sell sold; send sent; steal stole stolen; take took taken; write wrote
  written`
    .split(';')
    .flatMap((line) => {
      const [word = '', ...forms] = line.trim().split(/\s+/);
      return forms.map((form): [string, string] => [form, word]);
    }),
);

const endings: [RegExp, string][] = [
  [/(?<=..)(?:ies|ied)$/, 'y'],
  [/(?<=sh|ch|ss|x|z)es$/, ''],
  [/(?<=...)(?<![su])s$/, ''],
  [/(?<=..)ification$/, 'ify'],
  [/i[sz]ation$/, 'iz'],
  [/(?<=...)i[sz](?:e[dr]?|ing)$/, 'iz'],
  [/(?<=....)at(?:ion|e|ed|ing)$/, ''],
  [/(?<=...)ation$/, 'at'],
  [/(?<=....[st])ion$/, ''],
  [/(?<=....)ment$/, ''],
  [/(?<=.....)(?:[ae]nce|ent)$/, ''],
  [/(?<=...)(?:ing|ed)$/, ''],
  [/(?<=..)([bdgmnprt])\1$/, '$1'],
  [/(?<=....)ly$/, ''],
  [/(?<=...)e$/, ''],
];

/** Leaves one form of the most usual English ones, and of British and American spellings. */
function stem(word: string): string {
  if (/\d/.test(word)) return word;
  return endings.reduce((form, [ending, instead]) => form.replace(ending, instead), word);
}

/**
 * The words that a text asks for. One that pages spell in several ways counts once: as it is joined, if they know that, else by
 * its parts. Two words that are one to others, such as "web page", count as that one.
 */
export function splitQuestion(
  text: string,
  isKnown: (term: string) => boolean,
  isCompound: (term: string) => boolean = () => false,
): string[] {
  const pieces = text.split(/\s+/);
  const joined: string[] = [];
  for (const piece of pieces) {
    const both = `${joined.at(-1) ?? ''}${piece}`;
    if (joined.length > 0 && isCompound(toTerm(both) ?? '')) joined.splice(-1, 1, both);
    else joined.push(piece);
  }
  return joined.flatMap((piece) =>
    splitWords(
      piece.replaceAll(/[\p{L}\p{N}]+-[\p{L}\p{N}]+/gu, (word) => {
        const joined = word.replace('-', '');
        return isKnown(toTerm(joined) ?? '') ? joined : word.replace('-', ' ');
      }),
    ),
  );
}

/** The terms of words, each once, in order. */
export function termsOf(words: readonly string[]): string[] {
  return [...new Set(words.map(toTerm))].filter((term) => term !== undefined);
}
