import { number, oneOf, optionalNumber, plainForm, plainText, secret, text, url } from './config-kinds.ts';

const web = ['http:', 'https:'];
export const telegramUrl = 'https://api.telegram.org';
const discordId = {
  form: /^\d{15,21}$/,
  expected: 'a number of 15 to 21 digits, as Discord’s developer portal shows it',
};
const discordToken = {
  form: /^[\w-]+\.[\w-]+\.[\w-]+$/,
  expected:
    'a bot token: three parts with dots between them, without "Bot " before it. A client secret or public key is no bot token',
};
const telegramToken = {
  form: /^\d{1,20}:[\w-]+$/,
  expected: 'a token as BotFather shows it: a number, a colon and a text',
};

/** The variables for chat platforms. None of them points to an emulator: those are for the sandbox. */
export const platformVariables = {
  LATCHKEY_DISCORD_CLIENT_ID: plainForm('The application id of the Discord bot, shown in GET /config.', discordId),
  LATCHKEY_DISCORD_CLIENT_SECRET: text(
    'The client secret of that application, for signing in with Discord and for linked roles.',
  ),
  LATCHKEY_DISCORD_BOT_TOKEN: secret('The token of the Discord bot that reads members and writes roles.', discordToken),
  LATCHKEY_DISCORD_PUBLIC_KEY: plainForm('The public key that verifies Discord’s interactions, as hex.', {
    form: /^[0-9a-f]{64}$/i,
    expected: '64 hexadecimal digits, as Discord’s developer portal shows them',
  }),
  LATCHKEY_DISCORD_API_URL: url('The base URL of Discord’s API.', web, 'https://discord.com/api'),
  LATCHKEY_DISCORD_CDN_URL: url('The base URL of Discord’s CDN, for server icons.', web, 'https://cdn.discordapp.com'),
  LATCHKEY_DISCORD_SESSION_RESERVE: number(
    'The percentage of the bot’s daily session starts that is reserved for the operator.',
    20,
    0,
    100,
  ),
  LATCHKEY_TELEGRAM_BOT_TOKEN: secret('The token of the Telegram bot.', telegramToken),
  LATCHKEY_TELEGRAM_API_URL: url('The base URL of Telegram’s Bot API.', web, telegramUrl),
  LATCHKEY_TELEGRAM_UPDATES: oneOf(
    'How Telegram’s updates arrive: poll (a worker fetches them) or webhook (Telegram posts them to LATCHKEY_BASE_URL, which must be reachable over HTTPS).',
    ['poll', 'webhook'],
  ),
  LATCHKEY_TELEGRAM_API_ID: optionalNumber(
    'The API id of your application on my.telegram.org, which lets the bot list members.',
    1,
    2 ** 31 - 1,
  ),
  LATCHKEY_TELEGRAM_API_HASH: text('Its hash.'),
  LATCHKEY_TELEGRAM_LINK_URL: url('The base URL of links to Telegram bots.', web, 'https://t.me'),
  LATCHKEY_REDDIT_CLIENT_ID: plainText('The client id of the Reddit application.'),
  LATCHKEY_REDDIT_CLIENT_SECRET: text('Its secret.'),
  LATCHKEY_REDDIT_API_URL: url('The base URL of Reddit’s API.', web, 'https://oauth.reddit.com'),
  LATCHKEY_REDDIT_AUTH_URL: url('The base URL of Reddit’s token endpoint.', web, 'https://www.reddit.com'),
  LATCHKEY_MATRIX_HOMESERVER_URL: url('The base URL of the homeserver that the Matrix bot has its account on.', web),
  LATCHKEY_MATRIX_ACCESS_TOKEN: text('The access token of the Matrix bot.'),
  LATCHKEY_X_CLIENT_ID: plainText('The OAuth 2.0 client id of the X app, which lets members link their X accounts.'),
  LATCHKEY_X_CLIENT_SECRET: text('Its client secret.'),
  LATCHKEY_X_API_URL: url('The base URL of X’s API.', web, 'https://api.x.com'),
  LATCHKEY_X_AUTH_URL: url('The base URL of X’s authorization page.', web, 'https://x.com'),
};

type Values = {
  [Name in keyof typeof platformVariables]: ReturnType<(typeof platformVariables)[Name]['read']>;
};

export function shapePlatforms(values: Values) {
  return {
    discordClientId: values.LATCHKEY_DISCORD_CLIENT_ID,
    discordClientSecret: values.LATCHKEY_DISCORD_CLIENT_SECRET,
    discordBotToken: values.LATCHKEY_DISCORD_BOT_TOKEN,
    discordPublicKey: values.LATCHKEY_DISCORD_PUBLIC_KEY,
    discordApiUrl: values.LATCHKEY_DISCORD_API_URL ?? 'https://discord.com/api',
    discordCdnUrl: values.LATCHKEY_DISCORD_CDN_URL ?? 'https://cdn.discordapp.com',
    discordSessionReserve: values.LATCHKEY_DISCORD_SESSION_RESERVE / 100,
    telegramBotToken: values.LATCHKEY_TELEGRAM_BOT_TOKEN,
    telegramApiUrl: values.LATCHKEY_TELEGRAM_API_URL ?? telegramUrl,
    telegramUpdates: values.LATCHKEY_TELEGRAM_UPDATES,
    telegramListing: listingOf(values),
    telegramLinkUrl: values.LATCHKEY_TELEGRAM_LINK_URL ?? 'https://t.me',
    redditClientId: values.LATCHKEY_REDDIT_CLIENT_ID,
    redditClientSecret: values.LATCHKEY_REDDIT_CLIENT_SECRET,
    redditApiUrl: values.LATCHKEY_REDDIT_API_URL ?? 'https://oauth.reddit.com',
    redditAuthUrl: values.LATCHKEY_REDDIT_AUTH_URL ?? 'https://www.reddit.com',
    matrix: matrixOf(values),
    xClientId: values.LATCHKEY_X_CLIENT_ID,
    xClientSecret: values.LATCHKEY_X_CLIENT_SECRET,
    xApiUrl: values.LATCHKEY_X_API_URL ?? 'https://api.x.com',
    xAuthUrl: values.LATCHKEY_X_AUTH_URL ?? 'https://x.com',
  };
}

function matrixOf(values: Values): { homeserverUrl: string; accessToken: string } | undefined {
  const { LATCHKEY_MATRIX_HOMESERVER_URL: homeserverUrl, LATCHKEY_MATRIX_ACCESS_TOKEN: accessToken } = values;
  return homeserverUrl === undefined || accessToken === undefined ? undefined : { homeserverUrl, accessToken };
}

function listingOf(values: Values): { apiId: number; apiHash: string } | undefined {
  const { LATCHKEY_TELEGRAM_API_ID: apiId, LATCHKEY_TELEGRAM_API_HASH: apiHash } = values;
  return apiId === undefined || apiHash === undefined ? undefined : { apiId, apiHash };
}
