import type { DoorRow } from './queries.ts';

type Described = Pick<DoorRow, 'kind' | 'name' | 'details'>;

/** What a way to a role is, in a few words. */
export function titleOf({ kind, name, details }: Described): string {
  switch (kind) {
    case 'invite':
      return `Invite ${name}${details.channelName === undefined ? '' : ` to #${details.channelName}`}`;
    case 'onboarding':
      return `Onboarding option “${name}” of “${details.promptTitle ?? ''}”`;
    case 'linked-role':
      return `Linked role “${name}”`;
    case 'purchase':
      return `Server shop: “${name}”`;
    case 'integration':
      return `Integration “${name}”`;
    case 'bot':
      return `Bot “${name}”${powerOf(details.isAdministrator)}`;
    case 'staff':
      return `Role “${name}”${powerOf(details.isAdministrator)}`;
  }
}

function powerOf(isAdministrator: boolean | undefined): string {
  return isAdministrator ? ' with Administrator' : ' with Manage Roles';
}

/** What people can do about it. */
export function adviseOn({ kind, name }: Described): string {
  switch (kind) {
    case 'invite':
      return 'Delete the invite: Server Settings > Invites.';
    case 'onboarding':
      return 'Take the role from the option: Server Settings > Onboarding.';
    case 'linked-role':
      return `Remove the requirements of “${name}”, or use another role in the rule: Server Settings > Roles > ${name} > Links.`;
    case 'purchase':
      return 'End the sale of the role, or use another role in the rule: Server Settings > Server Shop.';
    case 'integration':
      return 'Remove the integration, or use another role in the rule: Server Settings > Integrations.';
    case 'bot':
      return `Move the bot’s role below the role of the rule, or take Manage Roles and Administrator from it: Server Settings > Roles. If you need the bot to give roles, mark it as expected.`;
    case 'staff':
      return 'Take Manage Roles and Administrator from the role, or move it below the role of the rule: Server Settings > Roles. If you trust these people, mark it as expected.';
  }
}

/** Whether Discord’s API lets the bot close it. */
export function canFix({ kind }: Described): boolean {
  return kind === 'invite' || kind === 'onboarding';
}

/** What closing it from here does. */
export function effectOf({ kind, name, details }: Described): string {
  if (kind === 'invite')
    return `The invite ${name} is deleted. Links to it stop working, also for people who would not get the role otherwise.`;
  return details.givesNoMore
    ? `The option “${name}” gives nothing else, so it is removed from the onboarding.`
    : `The option “${name}” stays in the onboarding, without the role.`;
}
