import { type Fields, isFields } from '../fields.ts';
import type { Interaction, Snowflake } from '../state/types.ts';

/** What a person enters: a text, or what they chose. Fields that they leave alone keep what the application filled in. */
export type Entries = Readonly<Record<string, string | readonly string[]>>;

/** Returns the newest form with this name that the person has open. */
export function findOpenForm(
  interactions: Iterable<Interaction>,
  userId: Snowflake,
  customId: string,
): Fields | undefined {
  return [...interactions].findLast(
    ({ user, answer }) => user.id === userId && answer?.type === 9 && answer.data.custom_id === customId,
  )?.answer?.data;
}

/**
 * Returns the fields as they are submitted. Throws where Discord keeps the form open: a required field is empty, a text is
 * too long, or an option does not exist.
 */
export function fillForm(form: Fields, entries: Entries): unknown[] {
  const components = (form.components as readonly unknown[]).filter(isFields);
  const names = components.flatMap(inputsOf).map(({ custom_id }) => String(custom_id));
  const stray = Object.keys(entries).find((name) => !names.includes(name));
  if (stray !== undefined) throw new Error(`The form has no field ${stray}; it has ${names.join(', ')}.`);
  return components.map((component, at) => {
    const id = 2 * at + 1;
    const [input] = inputsOf(component).map((one) => ({ id: id + 1, ...fillInput(one, entries) }));
    if (input === undefined) return { type: component.type, id };
    return isFields(component.component) ? { type: 18, id, component: input } : { type: 1, id, components: [input] };
  });
}

/** The input of a label, or of a row as forms had them before labels. */
function inputsOf({ component, components }: Fields): Fields[] {
  return [component, components].flat().filter(isFields);
}

function fillInput(input: Fields, entries: Entries) {
  const { type, custom_id } = input;
  const name = String(custom_id);
  const entered = entries[name] ?? prefilled(input);
  if (entered.length === 0 && input.required !== false) throw new Error(`The field ${name} is required.`);
  if (type === 4) {
    const value = String(entered);
    const { min_length: least = 0, max_length: most = 4000 } = input as { min_length?: number; max_length?: number };
    if (value.length < least || value.length > most)
      throw new Error(`The field ${name} takes ${least} to ${most} characters.`);
    return { type, custom_id, value };
  }
  const values = [entered].flat();
  const options = Array.isArray(input.options) ? input.options.map((option) => String(Object(option).value)) : values;
  if (values.some((value) => !options.includes(value))) throw new Error(`The field ${name} has no such option.`);
  if (values.length > Number(input.max_values ?? 1)) throw new Error(`The field ${name} has too many options chosen.`);
  return { type, custom_id, values };
}

function prefilled({ value, options, default_values: defaults }: Fields): string | readonly string[] {
  if (typeof value === 'string') return value;
  if (Array.isArray(defaults)) return defaults.map((one) => String(Object(one).id));
  if (!Array.isArray(options)) return '';
  return options.filter((option) => Object(option).default === true).map((option) => String(Object(option).value));
}
