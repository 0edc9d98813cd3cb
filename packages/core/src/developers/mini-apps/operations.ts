import { enqueue } from '@latchkey/db';
import {
  AppError,
  addSeconds,
  choice,
  listOf,
  NoContent,
  notFound,
  op,
  optional,
  owner,
  platformsThatCan,
  principalId,
  record,
  resource,
  shape,
  T,
  text,
  texts,
  user,
  type ValueOf,
} from '@latchkey/kernel';
import {
  ownerOfOrganization,
  ownOrganization,
  planOfOrganization,
  requireVerified,
} from '../../identity/organizations/index.ts';
import { type Context, contextFor } from '../../shared/context.ts';
import { refuse } from '../../shared/refuse.ts';
import {
  actionOf,
  assertTransition,
  type ChangeContext,
  change,
  getForUpdate,
  miniAppIdOf,
  toRecord,
} from './change.ts';
import { probeAgain } from './decide.ts';
import { newKeys } from './keys.ts';
import { MiniAppRegistration, MiniAppRegistrationCreate, miniAppStatuses } from './mini-app.ts';
import { probeApp } from './probe.ts';
import {
  claimTry,
  countMiniApps,
  deleteMiniAppRow,
  insertMiniApp,
  type MiniAppRow,
  selectMiniApp,
  selectMiniAppsOf,
  setSignature,
} from './queries.ts';
import { withdrawApp } from './sync-jobs.ts';

const MiniAppProfileChange = record('MiniAppProfileChange', 'The public profile of a mini-app.', {
  description: text('What it does.', { minLength: 1, maxLength: 8000 }),
  icon: T.Optional(
    text('The address of a picture: an absolute https address, or http on this machine.', { maxLength: 2048 }),
  ),
  url: T.Optional(
    text('Where the mini-app is called: an absolute https address, or http on this machine.', { maxLength: 2048 }),
  ),
});
type MiniAppProfileChange = ValueOf<typeof MiniAppProfileChange>;

/** Changes the profile of a mini-app. The URL of an approved app cannot be changed. */
export async function setMiniAppProfile(
  ctx: ChangeContext,
  { miniAppId, body }: { miniAppId: string; body: MiniAppProfileChange },
): Promise<MiniAppRegistration> {
  const { description, icon } = body;
  if (icon !== undefined) checkAddress('/icon', icon);
  if (body.url !== undefined) checkBase('/url', body.url);
  const url = body.url?.replace(/\/+$/, '') ?? null;
  return ctx.tx(async (tx) => {
    const row = await getForUpdate(tx, miniAppId);
    if (url !== row.url && (row.status === 'APPROVED' || row.status === 'LISTED'))
      throw new AppError(
        'STATE_CONFLICT',
        'The address of an approved mini-app cannot be changed. Register the new address as another mini-app.',
      );
    return toRecord(await change(ctx, tx, row, { action: 'set-profile', description, icon: icon ?? null, url }));
  });
}

const MiniAppSubmission = record('MiniAppSubmission', 'What the operator should know.', {
  notes: T.Optional(text('What was fixed since the last review.', { maxLength: 1000 })),
});

/** Resubmits a rejected or revoked mini-app for review. */
export async function submitMiniApp(
  ctx: Context,
  { miniAppId, body }: { miniAppId: string; body?: ValueOf<typeof MiniAppSubmission> | undefined },
): Promise<MiniAppRegistration> {
  if (body?.notes?.includes('\0')) throw new AppError('VALIDATION_FAILED', 'notes must not contain a null character.');
  // The database lets only the system change a status; the owner of the mini-app was checked before.
  const system = contextFor(ctx, { kind: 'system', job: 'submit-mini-app' });
  return system.tx(async (tx) => {
    const row = await getForUpdate(tx, miniAppId);
    if (row.status === 'PENDING') throw new AppError('STATE_CONFLICT', 'The mini-app is already waiting for review.');
    assertTransition(row.status, 'PENDING');
    return toRecord(await change(ctx, tx, row, { action: 'submit', notes: body?.notes, status: 'PENDING' }));
  });
}

const probeEverySeconds = 60;

const MiniAppProbe = record('MiniAppProbe', 'What the probe of a mini-app found.', {
  outcome: choice(
    'safe: it can be listed; unsafe: it accepted a forged call; failed: it could not be reached or does not work.',
    ['safe', 'unsafe', 'failed'],
  ),
  reason: T.Optional(text('What is wrong, in a sentence.', { maxLength: 2000 })),
  warnings: T.Optional(
    texts('What it should do better, although it can be listed: it crashed where it must refuse.', { maxLength: 2000 }),
  ),
  signature: T.Optional(
    choice('The signature type that it verifies and that its calls use.', ['ed25519', 'ecdsa', 'both']),
  ),
  status: choice('The status of the mini-app after the probe.', miniAppStatuses),
});
type MiniAppProbe = ValueOf<typeof MiniAppProbe>;

/** Probes a mini-app for its owner. The consequences for a listed app are the same as after the weekly probe. */
export async function probeMiniApp(ctx: Context, { miniAppId }: { miniAppId: string }): Promise<MiniAppProbe> {
  const { system } = ctx.db;
  const id = miniAppIdOf(miniAppId);
  const app = await selectMiniApp(system, id);
  if (app === undefined) throw notFound('mini-app');
  const now = ctx.clock();
  if (!(await claimTry(system, id, now, addSeconds(now, -probeEverySeconds))))
    throw new AppError('STATE_CONFLICT', `The mini-app was probed less than ${probeEverySeconds} seconds ago.`);
  const result =
    (await probeAgain(contextFor(ctx, { kind: 'system', job: 'probe' }), id)) ?? (await probeApp(ctx, app));
  if (result.kind === 'safe') await setSignature(system, id, result.signature);
  const { status } = (await selectMiniApp(system, id)) ?? app;
  const warnings = result.kind === 'safe' ? result.warnings : [];
  return result.kind === 'safe'
    ? { outcome: 'safe', signature: result.signature, status, ...(warnings.length > 0 && { warnings: [...warnings] }) }
    : { outcome: result.kind, reason: result.reason, status };
}

const MiniAppDetails = record('MiniAppDetails', 'A mini-app with the result of the last probe.', {
  app: MiniAppRegistration,
  probedAt: T.Optional(
    text('When it was last probed on a schedule or before it was listed, as an ISO 8601 time.', { maxLength: 32 }),
  ),
  signature: T.Optional(choice('The signatures that it was found to verify.', ['ed25519', 'ecdsa', 'both'])),
  version: T.Optional(text('The version that it reported in that probe.', { maxLength: 200 })),
  commands: texts('The commands that it reported in that probe.', { maxLength: 200 }),
});
type MiniAppDetails = ValueOf<typeof MiniAppDetails>;

export async function getMiniApp(
  ctx: Pick<Context, 'tx'>,
  { miniAppId }: { miniAppId: string },
): Promise<MiniAppDetails> {
  const row = await ctx.tx((tx) => selectMiniApp(tx, miniAppIdOf(miniAppId)));
  if (row === undefined) throw notFound('mini-app');
  const names = (row.profile?.commands ?? []).map(({ name }) => name).filter((name) => typeof name === 'string');
  return {
    app: toRecord(row),
    probedAt: row.probed_at?.toISOString(),
    signature: row.signature ?? undefined,
    version: row.profile?.manifest.version?.name,
    commands: names,
  };
}

const miniAppId = T.String({ description: 'The id of the mini-app, or its sk.', minLength: 1, maxLength: 128 });
const ownApp = owner<Context>('miniAppId', 'mini-app', ownerOfMiniApp);

export const miniapps = resource('miniapps', 'Mini-apps that developers register, for communities to install.', [
  op(
    'GET /miniapps/dev-orgs/{organizationId}',
    {
      id: 'getMiniApps',
      sdk: 'MiniappRegistrationController.getMiniApps',
      summary: 'List an organization’s mini-apps',
      description: 'Returns the mini-apps of one of the caller’s organizations, with their status and review history.',
      access: owner<Context>('organizationId', 'organization', ownerOfOrganization),
      params: {
        organizationId: T.String({
          description: 'The id of the organization, or its sk.',
          minLength: 1,
          maxLength: 64,
        }),
      },
      returns: listOf(MiniAppRegistration, 'The mini-apps, oldest first.'),
    },
    getMiniApps,
  ),
  op(
    'PATCH /miniapps/{miniAppId}/reset-secret',
    {
      id: 'resetMiniAppSecret',
      sdk: 'MiniappRegistrationController.resetSecret',
      summary: 'Create a mini-app key pair',
      description:
        'Replaces the key pair that signs the events sent to the mini-app’s webhook. The private key is only shown in this response.',
      audit: 'mini-app.reset-secret',
      access: ownApp,
      params: { miniAppId },
      returns: MiniAppRegistration,
    },
    resetSecret,
  ),
  op(
    'PATCH /miniapps/{miniAppId}',
    {
      id: 'updateMiniApp',
      sdk: 'MiniappRegistrationController.updateMiniApp',
      summary: 'Rename a mini-app',
      description: 'Changes the display name of the mini-app.',
      audit: 'mini-app.change',
      access: ownApp,
      params: { miniAppId },
      body: shape(T.Object({ name: text('The new name.', { minLength: 1, maxLength: 200 }) })),
      readAt: '/latchkey/miniapps/{miniAppId}',
      returns: MiniAppRegistration,
    },
    updateMiniApp,
  ),
  op(
    'DELETE /miniapps/{miniAppId}',
    {
      id: 'deleteMiniApp',
      sdk: 'MiniappRegistrationController.deleteMiniApp',
      summary: 'Delete a mini-app',
      description: 'Deletes a mini-app and uninstalls it from every community.',
      audit: 'mini-app.delete',
      access: ownApp,
      params: { miniAppId },
      readAt: '/latchkey/miniapps/{miniAppId}',
      returns: NoContent,
    },
    deleteMiniApp,
  ),
  op(
    'POST /miniapps',
    {
      id: 'createMiniApp',
      sdk: 'MiniappRegistrationController.createMiniApp',
      summary: 'Register a mini-app',
      description:
        'Registers a mini-app for a verified organization of the caller, as far as its plan allows. The operator reviews it. Before it is listed, and every week after that, it is called with wrong, old and missing signatures, and must reject them. The private key is only shown in this response.',
      audit: 'mini-app.create',
      access: user(),
      body: MiniAppRegistrationCreate,
      returns: MiniAppRegistration,
      errors: ['ENTITY_NOT_FOUND', 'PLAN_LIMIT_REACHED'],
      repeatable: true,
    },
    createMiniApp,
  ),
]);

export const miniAppOwnOperations = [
  op(
    'POST /latchkey/miniapps/{miniAppId}/probe',
    {
      id: 'probeMiniApp',
      summary: 'Probe a mini-app',
      description: `Runs the checks that a mini-app must pass before it is listed: reads its metadata, detects which signatures it verifies, and sends forged calls that it must reject. Returns the result; a listed app that accepts a forged call is revoked. Limited to once every ${probeEverySeconds} seconds.`,
      access: ownApp,
      params: { miniAppId },
      returns: MiniAppProbe,
      errors: ['ENTITY_NOT_FOUND', 'STATE_CONFLICT'],
    },
    probeMiniApp,
  ),
  op(
    'GET /latchkey/miniapps/{miniAppId}',
    {
      id: 'getMiniApp',
      summary: 'Get a mini-app',
      description:
        'Returns one of your mini-apps with its history, and with the version, the commands and the signatures that the last probe found.',
      access: ownApp,
      params: { miniAppId },
      returns: MiniAppDetails,
      errors: ['ENTITY_NOT_FOUND'],
    },
    getMiniApp,
  ),
  op(
    'PUT /latchkey/miniapps/{miniAppId}/profile',
    {
      id: 'setMiniAppProfile',
      summary: 'Change a mini-app’s profile',
      description:
        'Sets the description, icon and address of one of your mini-apps. Omitted fields are cleared. The address of an approved or listed mini-app cannot change: that fails with STATE_CONFLICT.',
      audit: 'mini-app.change',
      access: ownApp,
      params: { miniAppId },
      body: MiniAppProfileChange,
      readAt: '/latchkey/miniapps/{miniAppId}',
      returns: MiniAppRegistration,
      errors: ['ENTITY_NOT_FOUND', 'STATE_CONFLICT', 'VALIDATION_FAILED'],
    },
    setMiniAppProfile,
  ),
  op(
    'POST /latchkey/miniapps/{miniAppId}/submit',
    {
      id: 'submitMiniApp',
      summary: 'Submit a mini-app for review',
      description:
        'Resubmits a rejected or revoked mini-app for review, with a note on what was fixed. New mini-apps are submitted automatically. Fails with STATE_CONFLICT if it is pending, approved or listed.',
      audit: 'mini-app.change',
      access: ownApp,
      params: { miniAppId },
      body: optional(MiniAppSubmission),
      returns: MiniAppRegistration,
      errors: ['ENTITY_NOT_FOUND', 'STATE_CONFLICT', 'VALIDATION_FAILED'],
    },
    submitMiniApp,
  ),
] as const;

/** Registers a mini-app, which then waits for the operator's review. */
export async function createMiniApp(
  ctx: Context,
  { body }: { body: MiniAppRegistrationCreate },
): Promise<MiniAppRegistration> {
  const { name, description, icon, feedback, url, platforms = platformsThatCan('miniApps'), metadata = {} } = body;
  if (body.pk === undefined) throw wrong('/pk', 'must be one of your organizations');
  if (icon !== undefined) checkAddress('/icon', icon);
  if (url !== undefined) checkBase('/url', url);
  const pk = body.pk;
  return ctx.tx(async (tx) => {
    const organization = await ownOrganization(ctx, tx, pk);
    requireVerified(organization);
    const plan = await planOfOrganization(ctx, tx, organization.id);
    if ((await countMiniApps(tx, organization.id)) >= plan.maxMiniApps)
      throw new AppError(
        'PLAN_LIMIT_REACHED',
        `The plan ${plan.name} allows ${plan.maxMiniApps} mini-apps. Delete one, or upgrade your plan.`,
      );
    const id = ctx.random.id();
    const { publicKey, privateKey, sealed } = newKeys(ctx, id);
    const row: MiniAppRow = {
      id,
      organization_id: organization.id,
      created_by_id: principalId(ctx.actor),
      name,
      description,
      icon: icon ?? null,
      feedback: feedback ?? null,
      url: url?.replace(/\/+$/, '') ?? null,
      platforms,
      metadata,
      status: 'PENDING',
      actions: [actionOf(ctx, 'create')],
      public_key: publicKey,
      private_key: sealed,
      profile: null,
      probed_at: null,
      signature: null,
      tried_at: null,
      created_at: ctx.clock(),
    };
    await insertMiniApp(tx, row);
    return toRecord(row, privateKey);
  });
}

/** Returns who registered a mini-app, for the access check of operations. */
async function ownerOfMiniApp(ctx: Pick<Context, 'db'>, id: string): Promise<string | undefined> {
  return (await selectMiniApp(ctx.db.system, miniAppIdOf(id)))?.created_by_id;
}

async function getMiniApps(
  ctx: Context,
  { organizationId }: { organizationId: string },
): Promise<MiniAppRegistration[]> {
  return ctx.tx(async (tx) => {
    const { id } = await ownOrganization(ctx, tx, organizationId);
    return (await selectMiniAppsOf(tx, id)).map((row) => toRecord(row));
  });
}

async function updateMiniApp(
  ctx: ChangeContext,
  { miniAppId, body }: { miniAppId: string; body: { name: string } },
): Promise<MiniAppRegistration> {
  return ctx.tx(async (tx) => {
    const row = await getForUpdate(tx, miniAppId);
    return toRecord(await change(ctx, tx, row, { action: 'rename', name: body.name }));
  });
}

/** Creates a new key pair. Signatures of the old one are no longer accepted. */
async function resetSecret(
  ctx: ChangeContext & Pick<Context, 'keyring' | 'random'>,
  { miniAppId }: { miniAppId: string },
): Promise<MiniAppRegistration> {
  return ctx.tx(async (tx) => {
    const row = await getForUpdate(tx, miniAppId);
    const { publicKey, privateKey, sealed } = newKeys(ctx, row.id);
    const changed = await change(ctx, tx, row, { action: 'reset-secret', public_key: publicKey, private_key: sealed });
    return toRecord(changed, privateKey);
  });
}

/** Deletes a mini-app. A background job uninstalls it from every community. */
async function deleteMiniApp(ctx: ChangeContext, { miniAppId }: { miniAppId: string }): Promise<void> {
  await ctx.tx(async (tx) => {
    const { id } = await getForUpdate(tx, miniAppId);
    await enqueue(tx, withdrawApp, { appId: id }, { key: id });
    await deleteMiniAppRow(tx, id);
  });
}

/** Whether a URL may be called at all is decided by the egress rules when it is called. */
function checkAddress(path: string, value: string): void {
  const url = URL.parse(value);
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(url?.hostname ?? '');
  const isFine = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLocal);
  if (!isFine || url?.username !== '' || url.password !== '')
    throw wrong(path, 'must be an absolute https address, or http on this machine, without a user name');
}

/** Checks a base URL, to which paths are appended. */
function checkBase(path: string, value: string): void {
  checkAddress(path, value);
  if (/[?#]/.test(value)) throw wrong(path, 'must not have a query or a fragment');
}

const wrong = (path: string, message: string) => refuse(path, message, 'address');
