import { OpenObject, record, T, text, texts, type ValueOf } from '@latchkey/kernel';
import { MiniAppManifest } from '../../communities/installs/index.ts';

const SupportedInteraction = record('SupportedInteraction', 'Interactions that a mini-app handles.', {
  type: T.Optional(T.Number({ description: '2 for commands, 3 for components, 4 for autocomplete, 5 for forms.' })),
  nameOrIdPattern: T.Optional(text('The name of the command, or the custom id; * matches anything.')),
});

export const DiscordActionMetadata = record('DiscordActionMetadata', 'A mini-app’s metadata.', {
  signatureType: T.Optional(text('The kind of signature it verifies: ed25519 or ecdsa.', { maxLength: 16 })),
  manifest: T.Optional(MiniAppManifest),
  applicationCommands: T.Optional(
    T.Array(OpenObject, { description: 'The commands, in Discord’s format.', maxItems: 25 }),
  ),
  supportedInteractions: T.Optional(
    T.Array(SupportedInteraction, { description: 'The interactions it handles.', maxItems: 100 }),
  ),
  requiredContext: T.Optional(texts('The data it wants with each interaction.', { maxLength: 64 })),
});
export type DiscordActionMetadata = ValueOf<typeof DiscordActionMetadata>;

export const commandName = 'hello-action';
export const buttonId = 'hello-action:again';

/** The metadata of the sample; it changes nothing and requests little. */
export const metadata: DiscordActionMetadata = {
  signatureType: 'ed25519',
  manifest: {
    appId: 'hello-action',
    developer: 'latchkey',
    appType: 'action',
    name: 'Hello',
    shortName: 'hello',
    version: { name: '1.0.0' },
    category: 'bot_command',
    shortDescription: 'Says hello.',
    description: 'A sample that responds to a command and a button, and accepts only signed requests.',
    platforms: ['discord'],
    type: 'free',
    subscribedEvents: [],
  },
  applicationCommands: [
    {
      name: commandName,
      description: 'Says hello',
      type: 1,
      options: [{ name: 'your-name', description: 'What to call you', type: 3, required: false, max_length: 100 }],
    },
  ],
  supportedInteractions: [
    { type: 2, nameOrIdPattern: commandName },
    { type: 3, nameOrIdPattern: buttonId },
  ],
  requiredContext: ['guildName', 'isCommunityAdmin'],
};
