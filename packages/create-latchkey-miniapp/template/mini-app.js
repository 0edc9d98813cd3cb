import { createMiniApp, permissionAnswer, permissionQuestion, say, serverOf } from '@latchkey/miniapp';

const metadata = {
  manifest: { appId: 'greeter', developer: 'me', appType: 'action', name: 'Greeter', shortName: 'greeter' },
  applicationCommands: [{ name: 'greet', description: 'Be greeted', type: 1 }],
  supportedInteractions: [{ type: 2, names: ['greet'] }],
  requiredContext: ['guildName'],
};

async function onInteraction(interaction, { followUp, later }) {
  const answer = permissionAnswer(interaction);
  if (answer?.isGranted === false) return say('Then I will not ask the server.');
  if (answer?.isGranted === true) {
    const headers = { authorization: `Bearer ${answer.apiToken}` };
    const me = await (await fetch(`${serverOf(interaction)}/account/me`, { headers })).json();
    return say(`You are ${me.userName ?? 'a user without a name'} to the server.`);
  }
  later(async () => {
    const { id } = await followUp.send({ content: 'One moment…', flags: 64 });
    await followUp.remove(id);
    const clientId = process.env.LATCHKEY_CLIENT_ID ?? '';
    const content = 'May I ask the server who you are?';
    await followUp.send(permissionQuestion(interaction, { clientId, scopes: ['user:read'], content }));
  });
  return say(`Hello, ${interaction.member?.user?.username ?? 'you'}, in ${interaction.actionContext.guildName}!`);
}

export const make = (world) => createMiniApp({ ...world, metadata, onInteraction });
