import type { Field } from './fields.ts';
import type { OperationModel } from './model.ts';

/** What changed about an operation, a sentence each. Code is between backquotes. */
export function describeChange(before: OperationModel, after: OperationModel): string[] {
  const words = [
    ...describeAccess(before, after),
    ...describeFields('the parameter', before.parameters, after.parameters),
    ...describeBody(before.body, after.body),
    ...describeFields('the field of the answer', before.answer.fields, after.answer.fields),
    ...(before.answer.status === after.answer.status
      ? []
      : [`Answers with ${after.answer.status} instead of ${before.answer.status}.`]),
    ...listed('May also fail with', missingFrom(before.errors, after.errors)),
    ...listed('No longer fails with', missingFrom(after.errors, before.errors)),
    ...(before.summary === after.summary && before.description === after.description
      ? []
      : [`Is described as: ${after.summary} ${after.description}`.trim()]),
  ];
  return words.length > 0 ? words : ['Details of its schemas differ that the tables do not show.'];
}

function describeAccess(before: OperationModel, after: OperationModel): string[] {
  if (before.isOpen !== after.isOpen) return [after.isOpen ? 'Needs no credential now.' : 'Needs a credential now.'];
  const [was, is] = [before, after].map(({ scopes }) => scopes.map((scope) => `\`${scope}\``).join(' or ') || 'none');
  return was === is ? [] : [`The scope is ${is} instead of ${was}.`];
}

function describeBody(before: OperationModel['body'], after: OperationModel['body']): string[] {
  if (after === undefined) return before === undefined ? [] : ['Takes no body any more.'];
  if (before === undefined) return [`Takes a body now, as ${after.type}.`];
  return [
    ...(before.type === after.type ? [] : [`The body is ${after.type} instead of ${before.type}.`]),
    ...(before.required === after.required
      ? []
      : [`The body ${after.required ? 'is needed' : 'may be left out'} now.`]),
    ...describeFields('the field of the body', before.fields, after.fields),
  ];
}

function describeFields(what: string, before: readonly Field[], after: readonly Field[]): string[] {
  const [old, current] = [byPlace(before), byPlace(after)];
  const added = [...current].filter(([place]) => !old.has(place));
  const gone = [...old].filter(([place]) => !current.has(place));
  const kept = [...current].flatMap(([place, field]) => {
    const was = old.get(place);
    return was === undefined ? [] : describeField(`${capital(what)} \`${place}\``, was, field);
  });
  return [
    ...added.map(([place, { required }]) => `Has ${what} \`${place}\` now${required ? ', which is required' : ''}.`),
    ...gone.map(([place]) => `Has no longer ${what} \`${place}\`.`),
    ...kept,
  ];
}

function describeField(subject: string, before: Field, after: Field): string[] {
  return [
    ...(before.type === after.type ? [] : [`${subject} is ${after.type} instead of ${before.type}.`]),
    ...(before.required === after.required ? [] : [`${subject} is ${after.required ? 'required' : 'optional'} now.`]),
    ...(before.text === after.text
      ? []
      : [`${subject} is described as: ${after.text === '' ? 'nothing' : after.text}`]),
  ];
}

function byPlace(fields: readonly Field[]): Map<string, Field> {
  const above: string[] = [];
  return new Map(
    fields.map((field) => {
      above.length = field.depth;
      above.push(field.name);
      return [above.join('.'), field];
    }),
  );
}

function listed(words: string, entries: readonly string[]): string[] {
  return entries.length === 0 ? [] : [`${words} ${entries.join(', ')}.`];
}

function missingFrom(some: readonly string[], others: readonly string[]): string[] {
  return others.filter((entry) => !some.includes(entry));
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
