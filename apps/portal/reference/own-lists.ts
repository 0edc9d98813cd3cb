import { type ApiDocument, listOperations, type Schema } from './openapi.ts';

/** Where the reader's server says which object of theirs a parameter or a field of the body can name. */
export interface OwnList {
  in: 'path' | 'query' | 'body';
  name: string;
  /**
   * The path of the list, with parameters that are known before. With a method, such as `POST /states`, it is the operation that
   * returned the id in this tab.
   */
  list: string;
  /** Where the id is in an item of the list, or in the object that the path returns. */
  field: string;
  /** Only items with this value are meant. */
  where?: { field: string; value: string | boolean };
  /** The part of the field that is the id, as a pattern, such as what comes last in an address. */
  part?: string;
}

type Source = Omit<OwnList, 'in' | 'name'>;

interface Elsewhere extends Source {
  name: RegExp;
  /** The operations that are meant; all if it is left out. */
  of?: RegExp;
}

/** Instead of a list: the reader's own AE token, which some published operations take as a value. */
export const ownToken = 'the token of the reader';

/** Instead of a list: what another operation returned in this tab. Nothing lists what is secret or lasts for minutes. */
const returned = (route: string, field: string) => ({ list: route, field });

const changeSets = '/latchkey/communities/{communityId}/change-sets';
const changeSetIn = (actions: string, statuses: string): Elsewhere => ({
  name: /^changeSetId$/,
  of: new RegExp(`/(${actions})$`),
  list: `${changeSets}?status=${statuses}`,
  field: 'id',
});

const comments = `POST ${changeSets}/{changeSetId}/comments`;
const takesToken =
  /^(?:POST \/evm\/venly\/callback|POST \/wallet-manager\/marketplace-magic-codes|(?:PUT|DELETE) \/wallet-manager\/wallet-connections(?:\/\{walletSk\})?)$/;

const administrated = { list: '/account/administrated-communities', field: 'id' };

/** Lists that are not at the address before the parameter. Of several that fit, the first that is not empty is meant. */
const elsewhere: readonly Elsewhere[] = [
  { name: /^(orgId|organizationId|subscriberId)$/, list: '/latchkey/dev-orgs', field: 'id' },
  // The operator's key has no organizations of its own.
  { name: /^subscriberId$/, ...returned('POST /dev-orgs', 'sk'), part: '(?<=#).+' },
  { name: /^pk$/, of: /^POST \/(miniapps|client-apps)$/, list: '/latchkey/dev-orgs', field: 'id' },
  {
    name: /^miniAppId$/,
    of: /\/profile$/,
    list: '/miniapps/dev-orgs/{organizationId}',
    field: 'id',
    where: { field: 'status', value: 'PENDING' },
  },
  {
    name: /^miniAppId$/,
    of: /\/submit$/,
    list: '/miniapps/dev-orgs/{organizationId}',
    field: 'id',
    where: { field: 'status', value: 'REJECTED' },
  },
  { name: /^miniAppId$/, list: '/miniapps/dev-orgs/{organizationId}', field: 'id' },
  { name: /^clientId$/, of: / \/user-authorizations\//, list: '/user-authorizations', field: 'clientApplicationId' },
  { name: /^clientId$/, of: / \/latchkey\/communities\//, list: '/client-apps', field: 'id' },
  { name: /^client_id$/, list: '/client-apps', field: 'id' },
  { name: /^clientId$/, of: / \/latchkey\/operator\//, list: '/latchkey/operator/applications', field: 'id' },
  { name: /^passId$/, list: '/discord/{guildId}/guest-passes', field: 'id' },
  { name: /^appId$/, list: '/marketplace/communities/{communityId}/apps', field: 'appId' },
  { name: /^(channelId|channels)$/, list: '/latchkey/communities/{communityId}/role-invites', field: 'id' },
  { name: /^backDoorId$/, list: '/latchkey/communities/{communityId}/back-doors', field: 'id' },
  { name: /^address$/, of: / \/latchkey\/treasuries\//, list: '/dev-orgs/{orgId}/wallet', field: 'address' },
  { name: /^address$/, of: /^POST \/pkp\/sign-message$/, list: '/users/me/pkp', field: 'ethAddress' },
  { name: /^address$/, of: / \/account\/wallets\//, list: '/account/wallets', field: 'address' },
  { name: /^newOwner$/, list: '/account/wallets', field: 'address' },
  { name: /^walletSk$/, list: '/account/wallets', field: 'address' },
  { name: /^communityId$/, of: /^(PATCH|DELETE) \/latchkey\/communities\/\{communityId\}$/, ...administrated },
  { name: /^receiptId$/, list: '/near-indexer/transactions', field: 'receiptId' },
  { name: /^txHash$/, list: '/near-indexer/receipts/{receiptId}', field: 'originated_from_transaction_hash' },
  {
    name: /^version$/,
    of: /^PUT .*\/rule-set/,
    list: '/latchkey/communities/{communityId}/rule-set',
    field: 'version',
  },
  {
    name: /^userId$/,
    of: /^PUT \/latchkey\/communities\/\{communityId\}\/admins\//,
    list: '/latchkey/communities/{communityId}/members',
    field: 'userId',
    // The owner is one already, and no bot can change their roles.
    where: { field: 'isProtected', value: false },
  },
  {
    name: /^userId$/,
    of: /^DELETE \/latchkey\/communities\/\{communityId\}\/admins\//,
    list: '/latchkey/communities/{communityId}/admins',
    field: 'userId',
    where: { field: 'isOwner', value: false },
  },
  {
    name: /^space$/,
    of: /^(PUT|DELETE) \/snapshot\//,
    list: '/snapshot/communities/{communityId}/space',
    field: 'space',
  },
  {
    name: /^communityId$/,
    of: / \/(latchkey\/communities\/\{communityId\}\/devvit|reddit\/(is-community-config-set|unlink-token))$/,
    list: '/reddit/administrated-communities',
    field: 'id',
    where: { field: 'isLinked', value: true },
  },
  { name: /^id$/, of: takesToken, list: ownToken, field: '' },
  { name: /^commentId$/, of: /^DELETE /, ...returned(comments, 'id') },
  { name: /^changeSetId$/, of: /^DELETE .*\/comments\/\{commentId\}$/, ...returned(comments, 'changeSetId') },
  { name: /^key$/, of: / \/latchkey\/handoffs\/state$/, ...returned('POST /latchkey/handoffs', 'key') },
  {
    name: /^ticket$/,
    of: / \/latchkey\/handoffs\/message$/,
    ...returned('POST /latchkey/handoffs', 'url'),
    part: '[^/]+$',
  },
  {
    name: /^state$/,
    of: /^GET \/tokenproof\/authorize$/,
    ...returned('POST /reddit/wallet-connection-sessions', 'slug'),
  },
  { name: /^requestId$/, of: / \/tokenproof\/responses\//, ...returned('GET /tokenproof/authorize', 'request_id') },
  { name: /^slug$/, of: / \/(states|slugs)\//, ...returned('POST /states', 'slug') },
  { name: /^token$/, of: / \/asset-verification\//, ...returned('POST /asset-verification', 'token') },
  { name: /^draftId$/, ...returned('POST /latchkey/communities/{communityId}/rule-drafts', 'id') },
  { name: /^key$/, of: / \/latchkey\/playgrounds\//, ...returned('POST /latchkey/playgrounds', 'key') },
  { name: /^kid$/, list: '/.well-known/jwks.json', field: 'kid' },
  changeSetIn('approve|reject|approve-grants|reject-and-restore', 'held'),
  changeSetIn('approve|reject', 'previewed'),
  changeSetIn('retry', 'failed'),
  changeSetIn('undo', 'done'),
];

/** These are known of the reader without a list of their own, or are chosen by the caller. */
const known = /^(communityId|guildId|userId|memberId|planId)$/;

/** Returns where an operation's ids are listed, in the order in which they depend on each other. */
export function ownListsOf(
  document: ApiDocument,
  {
    method,
    path,
    query,
    fields,
  }: { method: string; path: string; query: readonly string[]; fields: readonly string[] },
): OwnList[] {
  const route = `${method} ${path}`;
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].flatMap(({ 1: name = '', index }) => {
    const found = findAllElsewhere(route, name);
    const before = found.length > 0 ? undefined : listBefore(document, path.slice(0, index - 1), name);
    return [...found, ...(before ? [before] : [])].map((list) => ({ in: 'path' as const, name, ...list }));
  });
  const others = (place: 'query' | 'body', names: readonly string[]) =>
    names.flatMap((name) => findAllElsewhere(route, name).map((list) => ({ in: place, name, ...list })));
  return [...inPath, ...others('query', query), ...others('body', fields)];
}

/** Every path that `elsewhere` names, for the test that compares them with the description. */
export const pathsElsewhere: readonly string[] = elsewhere.flatMap(({ list }) =>
  list === ownToken ? [] : list.replace(/\?.*/, ''),
);

/** The operations whose ids are kept for the tab. */
export const returnedBy: ReadonlySet<string> = new Set(
  elsewhere.flatMap(({ list }) => (isOperation(list) ? list : [])),
);

/** Whether the id is from what an operation returned, not from a list. */
export function isOperation(list: string): boolean {
  return /^[A-Z]+ /.test(list);
}

/** Returns the list that a parameter of another list stands for, such as the organization of a mini-app. */
export function findElsewhere(route: string, name: string): Source | undefined {
  return findAllElsewhere(route, name)[0];
}

function findAllElsewhere(route: string, name: string): Source[] {
  return elsewhere
    .filter((one) => one.name.test(name) && (one.of === undefined || one.of.test(route)))
    .map(({ name: _name, of: _of, ...source }) => source);
}

/** Returns the list at the address before a parameter, if its items have an id. */
function listBefore(document: ApiDocument, path: string, name: string): Pick<OwnList, 'list' | 'field'> | undefined {
  if (known.test(name)) return undefined;
  const list = listOperations(document).find((one) => one.method === 'GET' && one.path === path);
  const [, success] = Object.entries(list?.described.responses ?? {}).find(([code]) => code.startsWith('2')) ?? [];
  const schema = resolve(document, Object.values(success?.content ?? {})[0]?.schema);
  const items = schema?.type === 'array' ? schema : resolve(document, schema?.properties?.items);
  const properties = resolve(document, items?.items)?.properties ?? {};
  const field = (/id$/i.test(name) ? [name, 'id'] : [name]).find((one) => one in properties);
  return field === undefined ? undefined : { list: path, field };
}

function resolve(document: ApiDocument, schema: Schema | undefined): Schema | undefined {
  if (schema?.$ref === undefined) return schema;
  return resolve(document, document.components.schemas[schema.$ref.split('/').at(-1) ?? '']);
}
