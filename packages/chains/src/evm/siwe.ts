import { schemePattern } from './rfc3986.ts';
import { findFaultyField, type SiweFields } from './siwe-fields.ts';

const greeting = ' wants you to sign in with your Ethereum account:';

// One line for each field in the one order that EIP-4361 knows. What each may hold is judged afterwards.
const layout = new RegExp(
  [
    `^(?:(?<scheme>${schemePattern})://)?(?<domain>[^ \\n]+)${greeting}`,
    '(?<address>[^\\n]+)',
    '(?:\\n(?<statement>[^\\n]+))?',
    '',
    'URI: (?<uri>[^\\n]+)',
    'Version: (?<version>[^\\n]+)',
    'Chain ID: (?<chainId>[1-9][0-9]*)',
    'Nonce: (?<nonce>[^\\n]+)',
    'Issued At: (?<issuedAt>[^\\n]+)' +
      '(?:\\nExpiration Time: (?<expirationTime>[^\\n]+))?' +
      '(?:\\nNot Before: (?<notBefore>[^\\n]+))?' +
      '(?:\\nRequest ID: (?<requestId>[^\\n]*))?' +
      '(?:\\nResources:(?<resources>(?:\\n- [^\\n]+)*))?$',
  ].join('\\n'),
);

function areSiweFields(fields: Readonly<Record<string, unknown>>): fields is Record<string, unknown> & SiweFields {
  return findFaultyField(fields) === undefined;
}

/** Reads a Sign-In with Ethereum message. Undefined for every text that does not follow EIP-4361 to the letter. */
export function parseSiweMessage(text: string): SiweFields | undefined {
  const groups = layout.exec(text)?.groups;
  if (groups === undefined) return undefined;
  const present = Object.entries(groups).filter(([, value]) => value !== undefined);
  const fields: Record<string, unknown> = { ...Object.fromEntries(present), chainId: Number(groups.chainId) };
  if (groups.resources !== undefined) fields.resources = groups.resources.split('\n- ').slice(1);
  return areSiweFields(fields) ? fields : undefined;
}

/** Writes a Sign-In with Ethereum message (EIP-4361). Throws when a field may not hold what it was given. */
export function writeSiweMessage(fields: SiweFields): string {
  const faulty = findFaultyField({ ...fields });
  if (faulty !== undefined) throw new Error(`The field ${faulty} of a sign-in message is missing or malformed.`);
  const line = (label: string, value: string | undefined) => (value === undefined ? [] : [`${label}: ${value}`]);
  return [
    `${fields.scheme === undefined ? '' : `${fields.scheme}://`}${fields.domain}${greeting}`,
    fields.address,
    '',
    ...(fields.statement === undefined ? [] : [fields.statement]),
    '',
    `URI: ${fields.uri}`,
    `Version: ${fields.version}`,
    `Chain ID: ${fields.chainId}`,
    `Nonce: ${fields.nonce}`,
    `Issued At: ${fields.issuedAt}`,
    ...line('Expiration Time', fields.expirationTime),
    ...line('Not Before', fields.notBefore),
    ...line('Request ID', fields.requestId),
    ...(fields.resources === undefined ? [] : ['Resources:', ...fields.resources.map((uri) => `- ${uri}`)]),
  ].join('\n');
}
