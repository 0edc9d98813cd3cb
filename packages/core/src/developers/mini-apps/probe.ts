import type { MiniAppManifest } from '../../communities/installs/index.ts';
import type { Context } from '../../shared/context.ts';
import { type SignatureKind, signActionAs, signatureWindowMs } from './action-signature.ts';
import { AppFailed, askMetadata, KeyDiffers, knock } from './call-app.ts';
import { findSignature, knockSigned, probeEvent, probeInteraction } from './find-signature.ts';
import { type AppProfile, type InteractionPattern, interactionTypes } from './profile.ts';
import type { MiniAppRow } from './queries.ts';
import { type Framework, howToRefuse, whereKeyGoes } from './templates.ts';

/**
 * `unsafe`: it accepted a call that this server did not make. `failed`: it could not be evaluated, or does not work. A
 * safe app may have warnings, such as that it crashes where it should refuse.
 */
export type ProbeResult =
  | { kind: 'safe'; profile: AppProfile; signature: SignatureKind; warnings: readonly string[] }
  | { kind: 'unsafe'; reason: string }
  | { kind: 'failed'; reason: string };

/**
 * Reads the metadata of a mini-app, detects which signatures it verifies, and checks whether it accepts calls that it
 * must refuse: without a signature, without a time, with a wrong or an expired signature.
 */
export async function probeApp(
  ctx: Context,
  app: Pick<MiniAppRow, 'id' | 'url' | 'organization_id' | 'name'>,
): Promise<ProbeResult> {
  const { url } = app;
  if (url === null) return { kind: 'failed', reason: 'It has no address.' };
  let framework: Framework | undefined;
  try {
    const own = { appId: app.id, developer: app.organization_id, name: app.name };
    const answer = await askMetadata(ctx, url);
    framework = answer.framework;
    const profile = readMetadata(answer.metadata, own);
    const { signature, hasEvents } = await findSignature(ctx, url, profile);
    const doors = [
      { path: '/interactions', body: probeInteraction(profile) },
      ...(hasEvents ? [{ path: '/events', body: probeEvent(ctx.clock()) }] : []),
    ];
    const warnings: string[] = [];
    for (const { path, body } of doors) {
      const found = await forgeCalls(ctx, { path, address: `${url}${path}`, body }, signature);
      if (found.kind === 'unsafe') return { ...found, reason: found.reason + howToRefuse(framework) };
      if (found.kind === 'failed') return found;
      warnings.push(...found.warnings);
    }
    return { kind: 'safe', profile, signature, warnings };
  } catch (error) {
    if (error instanceof KeyDiffers)
      return { kind: 'failed', reason: `${error.message} ${whereKeyGoes(framework, ctx.settings.baseUrl)}` };
    if (error instanceof AppFailed || error instanceof BadMetadata) return { kind: 'failed', reason: error.message };
    throw error;
  }
}

interface Door {
  path: string;
  address: string;
  body: string;
}

/**
 * Makes calls that an app must refuse. A crash is no acceptance if the same call gets another answer when it is signed: then the app
 * looks at signatures before it does anything.
 */
async function forgeCalls(
  ctx: Context,
  { path, address, body }: Door,
  signature: SignatureKind,
): Promise<Exclude<ProbeResult, { kind: 'safe' }> | { kind: 'refused'; warnings: readonly string[] }> {
  const warnings: string[] = [];
  for (const { what, headers, isUnused } of await forge(ctx, body, signature)) {
    const status = await knock(ctx, address, body, headers);
    if (status < 400)
      return { kind: 'unsafe', reason: `It accepted a call ${what} (it answered ${status} at ${path}).` };
    // An app with one key cannot verify the other kind, and may respond with any error.
    if (status < 500 || isUnused) continue;
    const says = `It answered ${status} to a call ${what} at ${path}. It must answer 400 or 401.`;
    const whenSigned = await knockSigned(ctx, address, body, signature);
    if (whenSigned === status || isDown(whenSigned)) return { kind: 'failed', reason: says };
    warnings.push(says);
  }
  return { kind: 'refused', warnings };
}

/** Whether a proxy answers in place of the app. */
function isDown(status: number): boolean {
  return status >= 502 && status <= 504;
}

interface Forged {
  what: string;
  headers: Record<string, string>;
  /** Whether it only has a kind of signature that the app's calls do not use. */
  isUnused?: boolean;
}

async function forge(ctx: Context, body: string, signature: SignatureKind): Promise<Forged[]> {
  const { 'x-signature-timestamp': time = '', ...untimed } = await signActionAs(ctx, signature, body);
  const longAgo = { ...ctx, clock: () => new Date(Number(time) - 2 * signatureWindowMs) };
  const old = await signActionAs(longAgo, signature, body);
  const ofAnother = async (kind: 'ed25519' | 'ecdsa') => ({
    headers: { ...(await signActionAs(ctx, kind, `${body} `)), 'x-signature-timestamp': time },
    isUnused: signature !== 'both' && signature !== kind,
  });
  return [
    { what: 'without a signature', headers: { 'x-signature-timestamp': time } },
    { what: 'without a time', headers: untimed },
    { what: 'with the Ed25519 signature of another body', ...(await ofAnother('ed25519')) },
    { what: 'with the ECDSA signature of another body', ...(await ofAnother('ecdsa')) },
    { what: 'with a signature that is ten minutes old', headers: old },
    { what: 'with an old signature and a new time', headers: { ...old, 'x-signature-timestamp': time } },
  ];
}

/** Why an app's metadata cannot be used, in a sentence for its developer. */
class BadMetadata extends Error {
  override readonly name = 'BadMetadata';
}

const maxCommands = 25;
const maxPatterns = 100;
const commandName = /^[-_'\p{L}\p{N}]{1,32}$/u;
/** Names that are reserved for this server in every chat. */
const reserved = /^(latchkey(:|$)|\$(approve|deny)-user-permissions:)/;
/** Only stars, or stars after a prefix of our own name. */
const catchesAll = /^(l|la|lat|latc|latch|latchk|latchke|latchkey)?\*+$/;

/**
 * Parses the response of GET …/metadata. Both formats in use are accepted: interactions by `nameOrIdPattern`, or by
 * `names` and `ids`; a manifest with and without `appType`. `appId` and `developer` are set by this server.
 */
export function readMetadata(given: unknown, own: { appId: string; developer: string; name: string }): AppProfile {
  const { manifest, applicationCommands, supportedInteractions, requiredContext } = objectOf(given, 'The metadata');
  return {
    manifest: readManifest(manifest, own),
    commands: listOf(applicationCommands, 'applicationCommands', maxCommands).map(readCommand),
    interactions: listOf(supportedInteractions, 'supportedInteractions', maxPatterns).flatMap(readPattern),
    requiredContext: listOf(requiredContext, 'requiredContext', maxPatterns).map((word) =>
      textOf(word, 'requiredContext'),
    ),
  };
}

function readManifest(given: unknown, own: { appId: string; developer: string; name: string }): MiniAppManifest {
  const manifest = given === undefined ? {} : objectOf(given, 'manifest');
  const optional = <Field extends keyof MiniAppManifest>(field: Field, isIt: (value: unknown) => boolean) =>
    isIt(manifest[field]) ? { [field]: manifest[field] as MiniAppManifest[Field] } : {};
  const isText = (value: unknown) => typeof value === 'string' && value.length <= 8000;
  const isTexts = (value: unknown) => Array.isArray(value) && value.length <= 200 && value.every(isText);
  const isOneOf = (words: readonly string[]) => (value: unknown) => words.includes(String(value));
  const isUrl = (value: unknown) => typeof value === 'string' && value.length <= 2048 && URL.canParse(value);
  const name = isText(manifest.name) && manifest.name !== '' ? String(manifest.name) : own.name;
  return {
    appId: own.appId,
    developer: own.developer,
    appType: manifest.appType === 'miniapp' ? 'miniapp' : 'action',
    name,
    shortName: isText(manifest.shortName) && manifest.shortName !== '' ? String(manifest.shortName) : name,
    ...optional('clientId', isText),
    ...optional('supportedCommunities', isTexts),
    ...optional(
      'supportedEnvs',
      (value) => Array.isArray(value) && value.every(isOneOf(['production', 'staging', 'qa', 'dev', 'test'])),
    ),
    ...optional('releasedDate', (value) => typeof value === 'number'),
    ...optional('version', isVersion),
    ...optional('keywords', isTexts),
    ...optional('tags', isTexts),
    ...optional('category', isOneOf(['bot_command', 'cc_extension'])),
    ...optional('website', isUrl),
    ...optional('shortDescription', isText),
    ...optional('description', isText),
    ...optional('thumbnails', isPictures),
    ...optional('icons', isPictures),
    ...optional('platforms', isTexts),
    ...optional('type', isOneOf(['free', 'paid', 'subscription'])),
    ...optional('price', (value) => typeof value === 'number' && value >= 0),
    ...optional('subscribedEvents', isTexts),
    ...optional('webhookUrl', isUrl),
    ...optional('template', isText),
    ...optional('isBeta', (value) => typeof value === 'boolean'),
  };
}

function isVersion(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.values(value).every((part) => typeof part === 'string');
}

function isPictures(value: unknown): boolean {
  return Array.isArray(value) && value.length <= 20 && value.every(isVersion);
}

function readCommand(given: unknown): Record<string, unknown> {
  const { metadata, ...command } = objectOf(given, 'A command');
  const name = textOf(command.name, 'The name of a command');
  if (!commandName.test(name))
    throw new BadMetadata(`The command "${name.slice(0, 40)}" has a name that Discord does not accept.`);
  if (reserved.test(name)) throw new BadMetadata(`The command "${name}" has a name that is reserved for this server.`);
  return command;
}

function readPattern(given: unknown): InteractionPattern[] {
  const { type, nameOrIdPattern, names, ids } = objectOf(given, 'An entry of supportedInteractions');
  if (!Object.values(interactionTypes).some((known) => known === type))
    throw new BadMetadata('Each entry of supportedInteractions needs a type: 2, 3, 4 or 5.');
  const words = [nameOrIdPattern ?? [], names ?? [], ids ?? []]
    .flat()
    .map((word) => textOf(word, 'supportedInteractions'));
  const taken = words.find((word) => reserved.test(word) || catchesAll.test(word));
  if (taken !== undefined)
    throw new BadMetadata(`"${taken}" would match interactions that belong to this server or to other apps.`);
  return [{ type: Number(type), names: words }];
}

function objectOf(value: unknown, what: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new BadMetadata(`${what} must be an object.`);
  return { ...value };
}

function listOf(value: unknown, what: string, max: number): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value) || value.length > max)
    throw new BadMetadata(`${what} must be a list of at most ${max} items.`);
  return value;
}

function textOf(value: unknown, what: string): string {
  if (typeof value !== 'string' || value === '' || value.length > 200)
    throw new BadMetadata(`${what} must be a string.`);
  return value;
}
