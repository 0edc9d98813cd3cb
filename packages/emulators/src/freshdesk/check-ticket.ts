import type { FreshdeskState } from './freshdesk.ts';

export interface FieldError {
  field: string;
  message: string;
  code: string;
}

const known: Readonly<Record<string, 'string' | 'number' | 'object'>> = {
  subject: 'string',
  description: 'string',
  email: 'string',
  type: 'string',
  status: 'number',
  priority: 'number',
  parent_id: 'number',
  requester_id: 'number',
  responder_id: 'number',
  group_id: 'number',
  product_id: 'number',
  custom_fields: 'object',
  tags: 'object',
  cc_emails: 'object',
};

/** What Freshdesk does not take of a new ticket. */
export function checkTicket(state: FreshdeskState, fields: Readonly<Record<string, unknown>>): FieldError[] {
  const errors: FieldError[] = [];
  const add = (field: string, code: string, message: string) => void errors.push({ field, message, code });
  for (const [name, value] of Object.entries(fields)) {
    const type = known[name];
    if (type === undefined) add(name, 'invalid_field', 'Unexpected/invalid field in request');
    else if (typeof value !== type)
      add(name, 'datatype_mismatch', `Value set is of type ${typeof value}. It should be a/an ${type}`);
  }
  for (const name of ['subject', 'description'])
    if (fields[name] === undefined || fields[name] === '') add(name, 'missing_field', 'It should be a/an String');
  const { email, requester_id, status = 2, priority = 1 } = fields;
  if (email === undefined && requester_id === undefined)
    add('requester_id', 'missing_field', 'One of requester_id, email, phone is mandatory');
  if (typeof email === 'string' && !/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email))
    add('email', 'invalid_value', "It should be in the 'valid email address' format");
  if (requester_id !== undefined && !state.contacts.some(({ id }) => id === requester_id))
    add('requester_id', 'invalid_value', 'There is no contact matching the given requester_id');
  if (![2, 3, 4, 5].includes(Number(status)))
    add('status', 'invalid_value', "It should be one of these values: '2,3,4,5'");
  if (![1, 2, 3, 4].includes(Number(priority)))
    add('priority', 'invalid_value', "It should be one of these values: '1,2,3,4'");
  return errors;
}
