/** A part of a usage: words one may say there, or undefined for a word of one's own. */
interface Slot {
  choices: (string | undefined)[];
  isOptional: boolean;
}

const parts =
  /\[[^\]]*\]|--\S+(?: (?:<[^>]*>|"[^"]*"|[^\s|[<-]\S*))?|(?:<[^>]*>|[^\s|<[]+)(?:\|(?:<[^>]*>|[^\s|<[]+))*/g;

/**
 * Whether words fit what a command says of its usage, for example `plans <community> | show|undo <plan> [--at <time>]`.
 * The words begin with the name of the command.
 */
export function fitsUsage(usage: string, words: readonly string[]): boolean {
  const [name = ''] = usage.split(' ');
  const [said, ...rest] = words;
  const { positionals, options } = sortWords(rest);
  if (said !== name || options.some((option) => !new RegExp(`${option}\\b`).test(usage))) return false;
  // What options stand in place of each other is between brackets; their names were looked for above.
  const forms = usage
    .replace(/ \(--[^)]*\)/g, '')
    .split(' | ')
    .map((form) => {
      const slots = slotsOf(form);
      // Only the first form, and some others, begin with the name of the command.
      return slots[0]?.choices[0] === name ? slots.slice(1) : slots;
    });
  // What begins one form is no word of one's own in another.
  const begins = forms.filter(([first]) => first?.choices.includes(positionals[0]));
  return (begins.length > 0 ? begins : forms).some((slots) => fits(slots, positionals));
}

function sortWords(words: readonly string[]): { positionals: string[]; options: string[] } {
  const sorted: { positionals: string[]; options: string[] } = { positionals: [], options: [] };
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? '';
    if (!word.startsWith('--')) sorted.positionals.push(word);
    else {
      sorted.options.push(word.replace(/=.*/s, ''));
      // Every option but one has a value.
      if (!word.includes('=') && word !== '--dry-run') index += 1;
    }
  }
  return sorted;
}

function slotsOf(form: string): Slot[] {
  return (form.match(parts) ?? []).flatMap((part) => {
    const isOptional = part.startsWith('[');
    const inside = isOptional ? part.slice(1, -1) : part;
    if (inside.startsWith('--')) return [];
    const choices = inside
      .split('|')
      .map((choice) => (/^[<"]|…/.test(choice) || inside === 'name' ? undefined : choice));
    return [{ choices, isOptional }];
  });
}

function fits([slot, ...others]: readonly Slot[], [word, ...rest]: readonly string[]): boolean {
  if (slot === undefined) return word === undefined;
  if (word !== undefined && slot.choices.some((choice) => choice === undefined || choice === word))
    return fits(others, rest);
  return slot.isOptional && fits(others, word === undefined ? [] : [word, ...rest]);
}
