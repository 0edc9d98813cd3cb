import {
  type BotProblem,
  type BotSituation,
  botProblems,
  channelNames,
  checkBot,
  defaultGatingSettings,
} from '@latchkey/core/facts';
import { type Facts, code as inCode, table } from './fact.ts';

const guildId = '1';
const role = { color: 0, hoist: false, permissions: '0', managed: false, mentionable: false };

/** A server with every possible problem, so that the bot's own check lists them all. */
const worst: BotSituation = {
  guildId,
  bot: { user: { id: '2', username: 'bot' }, roles: ['3'] },
  roles: [
    { ...role, id: guildId, name: '@everyone', position: 0 },
    { ...role, id: '3', name: 'Latchkey', position: 1 },
    { ...role, id: '4', name: 'Holder', position: 2 },
    { ...role, id: '5', name: 'Booster', position: 0, managed: true },
  ],
  channels: [{ id: '6', type: 0, name: 'latchkey-join' }],
  ruleRoleIds: ['4', '5', '7'],
  channelNames,
  inviteLink: undefined,
};

interface Details {
  critical?: boolean;
  permission?: string;
}

const findings = checkBot(worst).map(({ code = '', action = '', details }) => ({
  code,
  action,
  ...(details as Details),
}));

function spaced(name: string): string {
  return name.replace(/(?<=[a-z])(?=[A-Z])/g, ' ');
}

// The worst problem is found before the check begins: the bot is not in the server.
function isCritical(code: BotProblem): string {
  const alike = findings.filter((finding) => finding.code === code);
  const serious = alike.filter(({ critical }) => critical === true).length;
  if (alike.length === 0 || serious === alike.length) return 'yes';
  return serious === 0 ? 'no' : 'some';
}

const fixes: Readonly<Record<BotProblem, string>> = {
  BOT_NOT_IN_SERVER: '[Bot paused](/help-docs/errors/bot-paused)',
  MISSING_PERMISSION: '[Permissions](/help-docs/errors/Permissions)',
  ROLE_ABOVE_BOT: '[Role not positioned correctly](/help-docs/errors/hierarchy)',
  ROLE_MANAGED: '[Invalid rule](/help-docs/errors/invalid-tgr)',
  ROLE_RULING: '[Invalid rule](/help-docs/errors/invalid-tgr)',
  ROLE_EVERYONE: '[Invalid rule](/help-docs/errors/invalid-tgr)',
  ROLE_MISSING: '[Invalid rule](/help-docs/errors/invalid-tgr)',
  CHANNEL_MISSING: "[The bot's Discord channels](/help-docs/set-up-the-bot/channels)",
  CHANNEL_CLOSED: '[Permissions](/help-docs/errors/Permissions)',
};

const codes = Object.keys(botProblems).filter((code): code is BotProblem => code in botProblems);

export default {
  'errors/findings': () =>
    table(
      ['Code', 'Meaning', 'Critical', 'How to fix it'],
      codes.map((code) => [inCode(code), botProblems[code], isCritical(code), fixes[code]]),
    ),
  'errors/permissions': () =>
    table(
      ['Permission', 'Critical'],
      findings
        .filter(({ permission }) => permission !== undefined)
        .map(({ permission = '', critical }) => [spaced(permission), critical === true ? 'yes' : 'no']),
    ),
  'errors/channels': () => channelNames.map(([name]) => inCode(name)).join(' and '),
  'errors/held-percent': () => String(defaultGatingSettings.heldRemovalShare * 100),
  'errors/held-count': () => String(defaultGatingSettings.heldRemovalCount),
} satisfies Facts;
