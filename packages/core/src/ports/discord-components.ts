/** The components of Discord that the bot writes. The adapter's tests hold the numbers to Discord's own. */
export const discordComponents = {
  row: 1,
  button: 2,
  select: 3,
  textInput: 4,
  userSelect: 5,
  section: 9,
  text: 10,
  separator: 14,
  container: 17,
  label: 18,
} as const;
type Types = typeof discordComponents;

export const discordFlags = { ephemeral: 1 << 6, componentsV2: 1 << 15 } as const;
export const discordResponses = { pong: 1, message: 4, later: 5, form: 9 } as const;

export type DiscordButton =
  | { type: Types['button']; style: 1; label: string; custom_id: string }
  | { type: Types['button']; style: 5; label: string; url: string };

export interface DiscordRow {
  type: Types['row'];
  components: DiscordButton[];
}

export interface DiscordText {
  type: Types['text'];
  content: string;
}

/** A text with one button beside it. */
export interface DiscordSection {
  type: Types['section'];
  components: DiscordText[];
  accessory: DiscordButton;
}

interface Separator {
  type: Types['separator'];
}

export type DiscordBlock = DiscordRow | DiscordText | DiscordSection | Separator;

export type DiscordComponent = DiscordBlock | { type: Types['container']; components: DiscordBlock[] };

/** A message of components alone: Discord refuses `content` and `embeds` beside them. */
export interface DiscordComponentMessage {
  flags: number;
  components: DiscordComponent[];
  allowed_mentions: { parse: [] };
}

/** What a field of a form asks for. */
type FormInput =
  | {
      type: Types['textInput'];
      custom_id: string;
      style: 1 | 2;
      max_length: number;
      value?: string;
    }
  | { type: Types['select']; custom_id: string; options: { label: string; value: string; default?: boolean }[] }
  | { type: Types['userSelect']; custom_id: string; default_values?: { id: string; type: 'user' }[] };

/** A form, which Discord calls a modal. */
export interface DiscordForm {
  custom_id: string;
  title: string;
  components: { type: Types['label']; label: string; component: FormInput }[];
}
