import type { MessageText } from '@latchkey/kernel/messages';

const letters = new Map(
  Array.from('abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ', (letter, index): [string, string] => [
    letter,
    Array.from('åƀçðéƒĝĥîĵķļɱñöþɋŕšţûṽŵẋýžÅƁÇÐÉƑĜĤÎĴĶĻṀÑÖÞɊŔŠŢÛṼŴẊÝŽ')[index] ?? letter,
  ]),
);

type Element = Exclude<MessageText, string>[number];
const literal = 0;

/** `Sign in` becomes `[Šîîĝñ îîñ]`: every letter accented, vowels doubled, so about 40 % longer, and the ends to be seen. */
export function pseudoText(text: MessageText): MessageText {
  if (typeof text === 'string') return `[${accent(text)}]`;
  return [{ type: literal, value: '[' } as Element, ...accentAll(text), { type: literal, value: ']' } as Element];
}

function accentAll(elements: readonly Element[]): Element[] {
  return elements.map((element) => {
    if ('options' in element) {
      const options = Object.entries(element.options).map(([key, option]) => [
        key,
        { ...option, value: accentAll(option.value) },
      ]);
      return { ...element, options: Object.fromEntries(options) };
    }
    return element.type === literal && 'value' in element ? { ...element, value: accent(element.value) } : element;
  });
}

function accent(text: string): string {
  return Array.from(text, (letter) => {
    const accented = letters.get(letter) ?? letter;
    return /[aeiou]/.test(letter) ? accented + accented : accented;
  }).join('');
}
