import { choice, OpenObject, record, T, text, texts, type ValueOf } from '@latchkey/kernel';

const MiniAppVersion = record('MiniAppVersion', 'A version of a mini-app.', {
  name: T.Optional(text('The number of the version.', { maxLength: 100 })),
  changelog: T.Optional(text('What is new in it.', { maxLength: 4000 })),
});

const pictures = (description: string) =>
  T.Optional(
    T.Array(
      record('MiniAppPicture', 'A picture of a mini-app.', {
        label: T.Optional(text('What the picture shows.')),
        src: T.Optional(text('The address of the picture.')),
        sizes: T.Optional(text('How large it is, for example 40x40.')),
      }),
      { description, maxItems: 20 },
    ),
  );

export const MiniAppManifest = record('MiniAppManifest', 'The manifest of a mini-app.', {
  appId: text('The id of the mini-app.', { pattern: '^[A-Za-z0-9._-]{1,100}$' }),
  clientId: T.Optional(text('The client application it calls this server with.')),
  appType: choice('A page of its own, or an action in the chat.', ['miniapp', 'action']),
  developer: text('The id of its developer.'),
  name: text('Its name.'),
  shortName: text('The same, for small places.'),
  supportedEnvs: T.Optional(
    T.Array(choice('One of the stages.', ['production', 'staging', 'qa', 'dev', 'test']), {
      description: 'The stages it runs on.',
      maxItems: 5,
    }),
  ),
  supportedCommunities: T.Optional(texts('The only communities that may install it; all of them when absent.')),
  releasedDate: T.Optional(T.Number({ description: 'When it was released, in milliseconds since 1970.' })),
  version: T.Optional(MiniAppVersion),
  keywords: T.Optional(texts('Words it is found by.')),
  tags: T.Optional(texts('Words it is sorted by.')),
  category: T.Optional(choice('Where it appears.', ['bot_command', 'cc_extension'])),
  website: T.Optional(text('Its own site.')),
  shortDescription: T.Optional(text('What it does, in a line.')),
  description: T.Optional(text('What it does.', { maxLength: 8000 })),
  thumbnails: pictures('Pictures of it at work.'),
  icons: pictures('Its icons.'),
  platforms: T.Optional(texts('The chat platforms it works on.')),
  type: T.Optional(choice('How it is paid for.', ['free', 'paid', 'subscription'])),
  price: T.Optional(T.Number({ description: 'What it costs, in US dollars.' })),
  subscribedEvents: T.Optional(texts('The events that it receives.')),
  webhookUrl: T.Optional(text('Where it receives them.')),
  template: T.Optional(text('The template it was made from.')),
  isBeta: T.Optional(T.Boolean({ description: 'Whether it is still being tried out.' })),
  installed: T.Optional(T.Boolean({ description: 'In the marketplace: whether the community has it.' })),
  isSuspended: T.Optional(T.Boolean({ description: 'In the marketplace: whether the operator took it off.' })),
  installedAt: T.Optional(T.Number({ description: 'When it was installed, in milliseconds since 1970.' })),
  installedVersion: T.Optional(text('The version that was installed.', { maxLength: 100 })),
  installationMetadata: T.Optional(OpenObject),
});
export type MiniAppManifest = ValueOf<typeof MiniAppManifest>;
