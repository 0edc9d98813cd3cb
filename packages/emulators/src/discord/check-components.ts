import { invalidField } from './errors.ts';
import { type Fields, isFields, readFlag, readList, readNumber, readRequiredText, readText } from './fields.ts';

const types = {
  row: 1,
  button: 2,
  stringSelect: 3,
  textInput: 4,
  section: 9,
  text: 10,
  thumbnail: 11,
  gallery: 12,
  file: 13,
  separator: 14,
  container: 17,
  label: 18,
} as const;
const selects: readonly number[] = [3, 5, 6, 7, 8];
const inContainer: readonly number[] = [1, 9, 10, 12, 13, 14];
/** Text inputs, selects, file uploads, radio groups, checkbox groups and checkboxes. */
const inLabel: readonly number[] = [4, ...selects, 19, 21, 22, 23];
const linkStyle = 5;
const premiumStyle = 6;

/** The limits of Discord for the components of one message or form. */
const most = { components: 40, text: 4000, rows: 5, inRow: 5, inForm: 5, options: 25 };

/** What holds across all components: their number, the length of their texts, and which ids are taken. */
interface Tally {
  components: number;
  text: number;
  customIds: Set<string>;
  ids: Set<number>;
}

const newTally = (): Tally => ({ components: 0, text: 0, customIds: new Set(), ids: new Set() });

/** Checks the components of a message: rows of buttons and selects, or those of version 2 where its flag is set. */
export function checkMessageComponents(components: readonly unknown[], isVersion2: boolean): void {
  const tally = newTally();
  if (!isVersion2) {
    checkLength(components, 'components', most.rows);
    for (const [at, one] of components.entries()) check(one, `components.${at}`, [types.row], tally);
    return;
  }
  for (const [at, one] of components.entries())
    check(one, `components.${at}`, [...inContainer, types.container], tally);
  if (tally.components > most.components)
    throw invalidField(
      'components',
      'COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED',
      `The total number of components exceeds the maximum of ${most.components}`,
    );
  if (tally.text > most.text)
    throw invalidField(
      'components',
      'COMPONENT_DISPLAYABLE_TEXT_SIZE_EXCEEDED',
      `The total length of displayable text exceeds the maximum of ${most.text}`,
    );
}

/** Checks a form, which Discord calls a modal. */
export function checkForm(form: Fields): void {
  readRequiredText(form, 'custom_id', 100);
  readRequiredText(form, 'title', 45);
  const components = readList(form, 'components') ?? [];
  if (components.length === 0) throw invalidField('components', 'BASE_TYPE_REQUIRED', 'This field is required');
  checkLength(components, 'components', most.inForm);
  const tally = newTally();
  for (const [at, one] of components.entries()) {
    const path = `components.${at}`;
    const { type, inner } = enter(one, path, [types.row, types.text, types.label], tally);
    if (type === types.row)
      for (const [index, field] of inner.entries()) {
        const input = check(field, `${path}.components.${index}`, [types.textInput], tally);
        readRequiredText(input, 'label', 45);
      }
    else if (type === types.label) {
      const label = one as Fields;
      readRequiredText(label, 'label', 45);
      readText(label, 'description', 100);
      const input = check(label.component, `${path}.component`, inLabel, tally);
      if (input.label !== undefined && input.type === types.textInput)
        throw invalidField(`${path}.component.label`, 'BASE_TYPE_BAD_VALUE', 'A text input in a label has no label.');
    } else checkOwn(one as Fields, path, type, tally);
  }
}

/** Checks a component with all that it contains. Returns it. */
function check(component: unknown, path: string, allowed: readonly number[], tally: Tally): Fields {
  const { type, inner, fields } = enter(component, path, allowed, tally);
  const at = `${path}.components`;
  switch (type) {
    case types.row: {
      if (inner.length === 0) throw invalidField(at, 'BASE_TYPE_REQUIRED', 'This field is required');
      checkLength(inner, at, inner.some(isSelect) ? 1 : most.inRow);
      for (const [index, one] of inner.entries()) check(one, `${at}.${index}`, [types.button, ...selects], tally);
      break;
    }
    case types.section: {
      if (inner.length === 0) throw invalidField(at, 'BASE_TYPE_REQUIRED', 'This field is required');
      checkLength(inner, at, 3);
      for (const [index, one] of inner.entries()) check(one, `${at}.${index}`, [types.text], tally);
      check(fields.accessory, `${path}.accessory`, [types.button, types.thumbnail], tally);
      break;
    }
    case types.container: {
      if (inner.length === 0) throw invalidField(at, 'BASE_TYPE_REQUIRED', 'This field is required');
      for (const [index, one] of inner.entries()) check(one, `${at}.${index}`, inContainer, tally);
      break;
    }
    default:
      checkOwn(fields, path, type, tally);
  }
  return fields;
}

function enter(component: unknown, path: string, allowed: readonly number[], tally: Tally) {
  if (!isFields(component))
    throw invalidField(path, 'DICT_TYPE_CONVERT', 'Only dictionaries may be used in a DictType');
  const type = readNumber(component, 'type');
  if (type === undefined) throw invalidField(`${path}.type`, 'BASE_TYPE_REQUIRED', 'This field is required');
  if (!allowed.includes(type))
    throw invalidField(
      `${path}.type`,
      'UNION_TYPE_CHOICES',
      `Value of field "type" must be one of (${allowed.join(', ')}).`,
    );
  tally.components += 1;
  const id = readNumber(component, 'id');
  if (id !== undefined && id !== 0) {
    if (tally.ids.has(id))
      throw invalidField(`${path}.id`, 'COMPONENT_ID_DUPLICATED', 'Component id cannot be duplicated');
    tally.ids.add(id);
  }
  return { type, fields: component, inner: readList(component, 'components') ?? [] };
}

/** Checks what a component has of its own. */
function checkOwn(component: Fields, path: string, type: number, tally: Tally): void {
  if (type === types.text) tally.text += readRequiredText(component, 'content', most.text).length;
  if (type === types.separator) {
    const spacing = readNumber(component, 'spacing') ?? 1;
    readFlag(component, 'divider');
    if (spacing !== 1 && spacing !== 2)
      throw invalidField(`${path}.spacing`, 'BASE_TYPE_CHOICES', 'Value must be one of {1, 2}.');
  }
  if (type === types.thumbnail) checkMedia(component.media, `${path}.media`);
  if (type === types.gallery)
    for (const [index, item] of (readList(component, 'items') ?? []).entries())
      checkMedia(Object(item).media, `${path}.items.${index}.media`);
  if (type === types.button) checkButton(component, path, tally);
  if (type === types.textInput) {
    checkCustomId(component, path, tally);
    const style = readNumber(component, 'style');
    if (style !== 1 && style !== 2)
      throw invalidField(`${path}.style`, 'BASE_TYPE_CHOICES', 'Value must be one of {1, 2}.');
    const longest = readNumber(component, 'max_length') ?? 4000;
    if (longest < 1 || longest > 4000)
      throw invalidField(`${path}.max_length`, 'NUMBER_TYPE_MAX', 'int value should be between 1 and 4000.');
    readText(component, 'value', longest);
    readText(component, 'placeholder', 100);
  }
  if (isSelect(component) || type > types.label) checkCustomId(component, path, tally);
  if (type === types.stringSelect) checkOptions(component, path);
}

function checkButton(button: Fields, path: string, tally: Tally): void {
  if (button.style === premiumStyle) return;
  const isLink = button.style === linkStyle;
  const name = isLink ? 'url' : 'custom_id';
  if (typeof button[name] !== 'string') {
    throw invalidField(`${path}.${name}`, 'BASE_TYPE_REQUIRED', 'This field is required');
  }
  readText(button, 'label', 80);
  if (!isLink) checkCustomId(button, path, tally);
  else if (!/^(https?|discord):/.test(readRequiredText(button, 'url', 512)))
    throw invalidField(`${path}.url`, 'URL_TYPE_INVALID_SCHEME', 'Scheme must be one of (http, https, discord).');
}

function checkCustomId(component: Fields, path: string, { customIds }: Tally): void {
  const customId = readRequiredText(component, 'custom_id', 100);
  if (customIds.has(customId))
    throw invalidField(
      `${path}.custom_id`,
      'COMPONENT_CUSTOM_ID_DUPLICATED',
      'Component custom id cannot be duplicated',
    );
  customIds.add(customId);
}

function checkOptions(select: Fields, path: string): void {
  const options = readList(select, 'options') ?? [];
  if (options.length === 0) throw invalidField(`${path}.options`, 'BASE_TYPE_REQUIRED', 'This field is required');
  checkLength(options, `${path}.options`, most.options);
  const values = options.map((option) => {
    readRequiredText(Object(option) as Fields, 'label', 100);
    return readRequiredText(Object(option) as Fields, 'value', 100);
  });
  if (new Set(values).size < values.length)
    throw invalidField(
      `${path}.options`,
      'SELECT_COMPONENT_OPTION_VALUE_DUPLICATED',
      'The specified option value is already used',
    );
}

function checkMedia(media: unknown, path: string): void {
  if (!isFields(media)) throw invalidField(path, 'BASE_TYPE_REQUIRED', 'This field is required');
  readRequiredText(media, 'url', 2048);
}

function checkLength(list: readonly unknown[], path: string, longest: number): void {
  if (list.length > longest) throw invalidField(path, 'BASE_TYPE_MAX_LENGTH', `Must be ${longest} or fewer in length.`);
}

function isSelect(component: unknown): boolean {
  return isFields(component) && selects.includes(Number(component.type));
}
