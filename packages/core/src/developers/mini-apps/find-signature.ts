import { type SignatureKind, signActionAs } from './action-signature.ts';
import { type CallContext, KeyDiffers, knock } from './call-app.ts';
import { type AppProfile, interactionTypes } from './profile.ts';

interface FoundSignature {
  signature: SignatureKind;
  /** Whether the app is notified of being installed and removed, which is optional. */
  hasEvents: boolean;
}

const absent: readonly number[] = [404, 405];

/** The statuses of an app that did not accept a call, or has no key to verify it. */
export const refusals: readonly number[] = [400, 401, 403, 503];

/**
 * Detects which signatures an app verifies. Throws KeyDiffers if it refuses every call, including correctly signed ones.
 */
export async function findSignature(
  ctx: CallContext,
  url: string,
  profile: Pick<AppProfile, 'commands'>,
): Promise<FoundSignature> {
  const event = probeEvent(ctx.clock());
  const onEvents = (kind: SignatureKind) => knockSigned(ctx, `${url}/events`, event, kind);
  const events = { ed25519: await onEvents('ed25519'), ecdsa: await onEvents('ecdsa') };
  const taken = await choose(events, isFine, onEvents);
  if (taken !== undefined) return { signature: taken, hasEvents: true };
  if (!absent.includes(events.ed25519) && !absent.includes(events.ecdsa))
    throw new KeyDiffers(
      `It refuses correctly signed calls to /events: it answered ${events.ed25519} to Ed25519 and ${events.ecdsa} to ECDSA. Check the public key that it was given.`,
    );
  return { signature: await findOnInteractions(ctx, `${url}/interactions`, profile), hasEvents: false };
}

/**
 * The same for an app without /events. It may not know how to answer the interaction; but if a valid signature gets
 * another response than an invalid one, it was verified.
 */
async function findOnInteractions(
  ctx: CallContext,
  address: string,
  profile: Pick<AppProfile, 'commands'>,
): Promise<SignatureKind> {
  const body = probeInteraction(profile);
  const onInteractions = (kind: SignatureKind) => knockSigned(ctx, address, body, kind);
  const right = { ed25519: await onInteractions('ed25519'), ecdsa: await onInteractions('ecdsa') };
  const wrong = await knock(ctx, address, body, await signActionAs(ctx, 'both', `${body} `));
  const isVerified = (status: number) => isFine(status) || (status !== wrong && !refusals.includes(status));
  const found = await choose(right, isVerified, onInteractions);
  if (found !== undefined) return found;
  throw new KeyDiffers(
    `It refuses correctly signed calls to /interactions: it answered ${right.ed25519} to Ed25519 and ${right.ecdsa} to ECDSA. Check the public key that it was given.`,
  );
}

/** One kind if only that works. An app that verifies both, or only both together, gets both. */
async function choose(
  status: { ed25519: number; ecdsa: number },
  isVerified: (status: number) => boolean,
  ask: (kind: 'both') => Promise<number>,
): Promise<SignatureKind | undefined> {
  const [ed25519, ecdsa] = [isVerified(status.ed25519), isVerified(status.ecdsa)];
  if (ed25519 !== ecdsa) return ed25519 ? 'ed25519' : 'ecdsa';
  if (isVerified(await ask('both'))) return 'both';
  return ed25519 ? 'ed25519' : undefined;
}

/** Returns the status that an app answers to a correctly signed call. */
export async function knockSigned(
  ctx: CallContext,
  address: string,
  body: string,
  kind: SignatureKind,
): Promise<number> {
  return knock(ctx, address, body, await signActionAs(ctx, kind, body));
}

function isFine(status: number): boolean {
  return status >= 200 && status < 300;
}

const nowhere = '0';

const [subcommand, subcommandGroup] = [1, 2];

const sampleValues: Readonly<Record<number, unknown>> = { 4: 0, 5: false, 10: 0 };

/** An event about a server that does not exist. */
export function probeEvent(now: Date): string {
  return JSON.stringify({ event: 'install', guildId: nowhere, timestamp: now.getTime() });
}

/**
 * Returns an interaction of a server that does not exist. Autocomplete only requests suggestions and so changes
 * nothing. It has the shape of the app's own first command, including subcommands: published templates crash if these
 * are missing.
 */
export function probeInteraction({ commands }: Pick<AppProfile, 'commands'>): string {
  const [command = {}] = commands;
  const user = { id: nowhere, username: 'probe', discriminator: '0', avatar: null };
  return JSON.stringify({
    id: nowhere,
    application_id: nowhere,
    type: interactionTypes.autocomplete,
    token: '',
    version: 1,
    guild_id: nowhere,
    channel_id: nowhere,
    member: { user, roles: [], permissions: '0' },
    user,
    data: { id: nowhere, type: 1, name: String(command.name ?? 'probe'), options: optionsOf(command) },
    actionContext: {},
  });
}

function optionsOf({ options }: Readonly<Record<string, unknown>>): unknown[] {
  const described: Readonly<Record<string, unknown>>[] = Array.isArray(options) ? options.map(Object) : [];
  const nested = described.find(({ type }) => type === subcommand || type === subcommandGroup);
  if (nested !== undefined) return [{ type: nested.type, name: nested.name, options: optionsOf(nested) }];
  return described
    .filter(({ required }) => required === true)
    .map(({ type, name }) => ({ type, name, value: sampleValues[Number(type)] ?? nowhere }));
}
