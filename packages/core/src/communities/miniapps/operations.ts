import { listOf, NoContent, op, optional, owner, resource, shape, T, text, user } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { ownerOfOrganization } from '../../developers/dev-orgs/index.ts';
import { createMiniApp } from './create.ts';
import { getMiniApp, MiniAppDetails } from './details.ts';
import { MiniAppRegistration, MiniAppRegistrationCreate } from './mini-app.ts';
import { deleteMiniApp, getMiniApps, ownerOfMiniApp, resetSecret, updateMiniApp } from './own.ts';
import { MiniAppProbe, probeEverySeconds, probeMiniApp } from './probe-own.ts';
import { MiniAppProfileChange, MiniAppSubmission, setMiniAppProfile, submitMiniApp } from './submit.ts';

const miniAppId = T.String({ description: 'The id of the mini-app, or its sk.', minLength: 1, maxLength: 128 });
const ownApp = owner<Context>('miniAppId', 'mini-app', ownerOfMiniApp);

export const miniapps = resource('miniapps', 'Mini-apps that developers register, for communities to install.', [
  op(
    'GET /miniapps/dev-orgs/{organizationId}',
    {
      id: 'getMiniApps',
      sdk: 'MiniappRegistrationController.getMiniApps',
      summary: 'List the mini-apps of an organization',
      description:
        'Lists the mini-apps of an organization of the caller, with their states and what was decided about them.',
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
        'Replaces the key pair by which what is sent to the webhook of the mini-app is signed. The private half is in this answer and nowhere else.',
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
      description: 'Changes what the mini-app is called in lists.',
      audit: 'mini-app.change',
      facts: { senderDecides: 'name' },
      access: ownApp,
      params: { miniAppId },
      body: shape(T.Object({ name: text('The new name.', { minLength: 1, maxLength: 200 }) })),
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
      description: 'Deletes a mini-app. It is taken out of every community that installed it.',
      audit: 'mini-app.delete',
      access: ownApp,
      params: { miniAppId },
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
        'Registers a mini-app for a verified organization of the caller, as far as its plan allows. The operator reviews it; before it is listed, and every week after, it is called with wrong, old and missing signatures, and must refuse them. The private key is in this answer and nowhere else.',
      audit: 'mini-app.create',
      facts: { senderDecides: 'pk name icon description feedback url platforms metadata' },
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
      description: `Calls one of your mini-apps as the server does before it is listed: reads its metadata, finds which signatures it verifies, and sends forged calls that it must refuse. Returns what it found; a listed app that accepts a forged call is revoked. Once in ${probeEverySeconds} seconds.`,
      facts: { needsNoKey: 'Tries the app out; a repetition finds the same.' },
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
        'Sets the description, the icon and the address of one of your mini-apps; what is left out is emptied. The address of an approved or listed mini-app cannot change: that fails with STATE_CONFLICT.',
      audit: 'mini-app.change',
      facts: { senderDecides: 'description icon url', samples: { url: 'https://mini.example' } },
      access: ownApp,
      params: { miniAppId },
      body: MiniAppProfileChange,
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
        'Puts one of your mini-apps that was rejected or revoked before the operator again, with a note on what was fixed. A new mini-app waits for review by itself. Fails with STATE_CONFLICT for one that is waiting, approved or listed.',
      audit: 'mini-app.change',
      facts: { senderDecides: 'notes', needsNoKey: 'A second submission is refused by the status.' },
      access: ownApp,
      params: { miniAppId },
      body: optional(MiniAppSubmission),
      returns: MiniAppRegistration,
      errors: ['ENTITY_NOT_FOUND', 'STATE_CONFLICT', 'VALIDATION_FAILED'],
    },
    submitMiniApp,
  ),
] as const;
