import { botOf, type Call, type Define, idOf } from '../call.ts';
import { invalidField, refusal } from '../errors.ts';
import { isFields, readNumber, readRequiredText, readText } from '../fields.ts';
import { ok, type Reply } from '../reply.ts';
import type { Bearer, RoleConnection, RoleConnectionRecord } from '../state/types.ts';

const mostRecords = 5;
const lastType = 8;
const mostValueLength = 100;

/** Linked roles: the values that an application sets for users who authorized it. */
export function defineRoleConnections(define: Define): void {
  define('GET /applications/:application/role-connections/metadata', 'other', listRecords);
  define('PUT /applications/:application/role-connections/metadata', 'role-connection-records', replaceRecords);
  define('GET /users/@me/applications/:application/role-connection', 'other', readConnection);
  define('PUT /users/@me/applications/:application/role-connection', 'role-connection', writeConnection);
}

function ownApplication(call: Call) {
  const application = botOf(call);
  if (idOf(call, 'application') !== application.id) throw refusal('missingAccess');
  return application;
}

function listRecords(call: Call): Reply {
  return ok(ownApplication(call).roleConnectionRecords);
}

function replaceRecords(call: Call): Reply {
  const application = ownApplication(call);
  const list = call.list ?? [];
  if (list.length > mostRecords)
    throw invalidField('_', 'BASE_TYPE_MAX_LENGTH', `Must be ${mostRecords} or fewer in length.`);
  application.roleConnectionRecords = list.map(readRecord);
  return ok(application.roleConnectionRecords);
}

function readRecord(value: unknown, index: number): RoleConnectionRecord {
  const fields = isFields(value) ? value : {};
  const type = readNumber(fields, 'type');
  if (type === undefined || type < 1 || type > lastType)
    throw invalidField(`${index}.type`, 'BASE_TYPE_CHOICES', 'This value must be one of {1, 2, 3, 4, 5, 6, 7, 8}.');
  const key = readRequiredText(fields, 'key', 50);
  if (!/^[a-z0-9_]+$/.test(key))
    throw invalidField(`${index}.key`, 'STRING_TYPE_REGEX', 'String value did not match validation regex.');
  return {
    type,
    key,
    name: readRequiredText(fields, 'name', 100),
    description: readRequiredText(fields, 'description', 200),
  };
}

/** Returns the user's connection to the application that the token belongs to; other applications cannot access it. */
function bearerOf(call: Call): Bearer {
  if (call.actor.kind === 'bot') throw refusal('botsCannot');
  if (call.actor.kind !== 'user' || !call.actor.scopes.has('role_connections.write')) throw refusal('unauthorized');
  if (idOf(call, 'application') !== call.actor.application.id) throw refusal('missingAccess');
  return call.actor;
}

function readConnection(call: Call): Reply {
  const { application, user } = bearerOf(call);
  return ok(application.roleConnections.get(user.id) ?? { platform_name: null, platform_username: null, metadata: {} });
}

function writeConnection(call: Call): Reply {
  const { application, user } = bearerOf(call);
  const connection: RoleConnection = {
    platform_name: readText(call.body, 'platform_name', 50) ?? null,
    platform_username: readText(call.body, 'platform_username', 100) ?? null,
    metadata: readValues(call, new Set(application.roleConnectionRecords.map(({ key }) => key))),
  };
  application.roleConnections.set(user.id, connection);
  return ok(connection);
}

/** Values are strings. Unregistered keys are dropped silently. */
function readValues({ body }: Call, known: ReadonlySet<string>): Record<string, string> {
  const { metadata = {} } = body;
  if (!isFields(metadata))
    throw invalidField('metadata', 'DICT_TYPE_CONVERT', 'Only dictionaries may be used in a DictType');
  const values = Object.entries(metadata).map(([key, value]) => {
    const text = String(value);
    if (text.length > mostValueLength)
      throw invalidField(`metadata.${key}`, 'BASE_TYPE_MAX_LENGTH', `Must be ${mostValueLength} or fewer in length.`);
    return [key, text] as const;
  });
  return Object.fromEntries(values.filter(([key]) => known.has(key)));
}
