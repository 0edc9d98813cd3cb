import {
  createMiniApp,
  type Interaction,
  type InteractionResponse,
  type Message,
  type MiniApp,
  type MiniAppOptions,
  permissionAnswer,
  permissionQuestion,
  say,
  serverOf,
} from '@latchkey/miniapp';

/** What a sample app gets from the server that it belongs to. */
export interface AppWorld extends Pick<MiniAppOptions, 'keys' | 'onError'> {
  fetch: NonNullable<MiniAppOptions['fetch']>;
  /** Returns a whole number from 1 to this one. */
  draw(sides: number): number;
  /** The client application in whose name permissions are requested. */
  clientId: string;
}

/** A mini-app as its developer registers it. */
export interface SampleApp {
  /** The last part of its address. */
  path: string;
  name: string;
  description: string;
  make(world: AppWorld): MiniApp;
}

const describe = (appId: string, name: string) => ({
  appId,
  developer: 'sample',
  appType: 'action',
  name,
  shortName: appId,
  version: { name: '1.0.0' },
  platforms: ['discord'],
});

/** A command, and a button that repeats it. */
const dice: SampleApp = {
  path: 'dice',
  name: 'Dice',
  description: 'Rolls a die with /roll, and again with a button.',
  make: ({ draw, ...world }) => {
    const roll = (): Message => ({
      content: `You rolled a ${draw(6)}.`,
      components: [{ type: 1, components: [{ type: 2, style: 1, label: 'Roll again', custom_id: 'dice:again' }] }],
    });
    return createMiniApp({
      ...world,
      metadata: {
        manifest: { ...describe('dice', 'Dice'), shortDescription: dice.description },
        applicationCommands: [{ name: 'roll', description: 'Roll a die', type: 1 }],
        supportedInteractions: [
          { type: 2, names: ['roll'] },
          { type: 3, ids: ['dice:*'] },
        ],
      },
      onInteraction: () => say(roll(), { isPublic: true }),
    });
  },
};

/** A command that opens a form, and what was written there. */
const suggestions: SampleApp = {
  path: 'suggestions',
  name: 'Suggestions',
  description: 'Collects suggestions with /suggest, in a form.',
  make: (world) =>
    createMiniApp({
      ...world,
      metadata: {
        manifest: { ...describe('suggestions', 'Suggestions'), shortDescription: suggestions.description },
        applicationCommands: [{ name: 'suggest', description: 'Suggest something to this community', type: 1 }],
        supportedInteractions: [
          { type: 2, names: ['suggest'] },
          { type: 5, ids: ['suggestions:form'] },
        ],
        requiredContext: ['guildName'],
      },
      onInteraction: (interaction) => (interaction.type === 5 ? say(thank(interaction)) : openForm),
    }),
};

/** Discord's response that opens a form. */
const openForm: InteractionResponse = {
  type: 9,
  data: {
    custom_id: 'suggestions:form',
    title: 'Your suggestion',
    components: [
      {
        type: 1,
        components: [{ type: 4, custom_id: 'idea', style: 2, label: 'What should we do?', max_length: 500 }],
      },
    ],
  },
};

function thank({ data, actionContext }: Interaction): string {
  const rows = (data?.components ?? []) as { components: { custom_id: string; value?: string }[] }[];
  const idea = rows.flatMap(({ components }) => components).find(({ custom_id: id }) => id === 'idea')?.value ?? '';
  return `Thank you! ${actionContext.guildName ?? 'The community'} will read: ${idea}`;
}

/** A command that asks for a permission, and uses it at the server. */
const whoAmI: SampleApp = {
  path: 'who-am-i',
  name: 'Who am I',
  description: 'With /whoami, asks for your permission and then says who you are to the server.',
  make: ({ clientId, ...world }) =>
    createMiniApp({
      ...world,
      metadata: {
        manifest: { ...describe('who-am-i', 'Who am I'), shortDescription: whoAmI.description },
        applicationCommands: [{ name: 'whoami', description: 'See who you are to this server', type: 1 }],
        supportedInteractions: [{ type: 2, names: ['whoami'] }],
      },
      onInteraction: async (interaction, { followUp, later }) => {
        const answer = permissionAnswer(interaction);
        if (answer?.isGranted === false) return say('Then I will not ask the server.');
        if (answer?.isGranted === true) {
          const headers = { authorization: `Bearer ${answer.apiToken}` };
          const response = await world.fetch(`${serverOf(interaction)}/account/me`, { headers });
          const { userName = 'someone' } = (await response.json()) as { userName?: string };
          return say(`You are ${userName} to the server.`);
        }
        const content = 'May I ask the server who you are?';
        const question = permissionQuestion(interaction, { clientId, scopes: ['user:read'], content });
        later(async () => void (await followUp.send(question)));
        return say('One moment…');
      },
    }),
};

export const sampleApps: readonly SampleApp[] = [dice, suggestions, whoAmI];
