// Words and their stems, as pages are indexed and questions are read.
import { maxQueryLength } from './index-file.ts';

const maxWords = 32;

/** Returns the distinct terms of a query, limited in number and length to what can be searched quickly. */
export function readQuery(text: string): string[] {
  return termsOf(splitWords(text.slice(0, maxQueryLength)).slice(0, maxWords));
}

const stopWords = new Set(
  `a about after all also am an and any anybody anyone are as at be been but by came can come could did do does everybody
  everyone for from get gets got had has have how i if in into is it its just let me my no not of off on once one or our
  out over people please shall should so some somebody someone still such than that the their them then there these they
  this those to too up us use uses using was we were what when where which while who why will with without would you
  your`.split(/\s+/),
);

/** Compound words such as mini-app, which are also written as one or two words, are found in all their forms. */
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

/** Normalizes a word to its stem in lower case. Undefined for stop words. */
export function toTerm(word: string): string | undefined {
  const plain = word.toLowerCase().normalize('NFKD').replace(/\p{M}/gu, '');
  return stopWords.has(plain) ? undefined : stem(irregular.get(plain) ?? plain);
}

/** Irregular forms, after their base form. */
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

/** Reduces the most common English inflections, and British and American spellings, to one form. */
function stem(word: string): string {
  if (/\d/.test(word)) return word;
  return endings.reduce((form, [ending, instead]) => form.replace(ending, instead), word);
}

/** Returns the distinct terms of words, in order. */
export function termsOf(words: readonly string[]): string[] {
  return [...new Set(words.map(toTerm))].filter((term) => term !== undefined);
}
