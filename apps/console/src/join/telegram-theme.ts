/** The colours of the person's Telegram, as tokens of our pages (https://core.telegram.org/bots/webapps#themeparams). */
export interface TelegramTheme {
  scheme: 'light' | 'dark';
  tokens: Readonly<Record<string, string>>;
}

/** The least contrast of text (WCAG 2.2, 1.4.3). People choose their own colours in Telegram, and not all can be read. */
const leastContrast = 4.5;

/** Undefined if the app passed no theme that can be used. Colours that would be hard to read here are left out. */
export function readTelegramTheme(params: string | null): TelegramTheme | undefined {
  const colour = coloursOf(params);
  const [card, text] = [colour('section_bg_color') ?? colour('bg_color'), colour('text_color')];
  if (card === undefined || text === undefined) return undefined;
  const scheme = luminance(card) < luminance(text) ? 'dark' : 'light';
  const page = colour('secondary_bg_color') ?? card;
  const field = colour('bg_color') ?? card;
  if ([card, page, field].some((ground) => contrast(text, ground) < leastContrast)) return { scheme, tokens: {} };
  const readable = (ink: string | undefined) =>
    ink !== undefined && [card, page, field].every((ground) => contrast(ink, ground) >= leastContrast)
      ? ink
      : undefined;
  const faint = readable(colour('subtitle_text_color')) ?? readable(colour('hint_color')) ?? text;
  const [accent, onAccent] = [readable(colour('button_color')), colour('button_text_color')];
  const hasAccent = accent !== undefined && onAccent !== undefined && contrast(accent, onAccent) >= leastContrast;
  return {
    scheme,
    tokens: {
      '--page': page,
      '--card': card,
      '--field': field,
      '--text': text,
      '--faint': faint,
      ...(hasAccent && { '--accent': accent, '--accent-strong': accent, '--on-accent': onAccent }),
    },
  };
}

/** Shows the page in these colours. */
export function applyTheme({ scheme, tokens }: TelegramTheme, root: HTMLElement = document.documentElement): void {
  root.dataset.scheme = scheme;
  for (const [token, colour] of Object.entries(tokens)) root.style.setProperty(token, colour);
}

function coloursOf(params: string | null): (name: string) => string | undefined {
  let fields: unknown;
  try {
    fields = JSON.parse(params ?? '');
  } catch {
    fields = undefined;
  }
  return (name) => {
    const value = (Object(fields) as Record<string, unknown>)[name];
    return typeof value === 'string' && /^#[0-9a-f]{6}$/i.test(value) ? value.toLowerCase() : undefined;
  };
}

function contrast(a: string, b: string): number {
  const [dark = 0, light = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (light + 0.05) / (dark + 0.05);
}

/** The relative luminance of sRGB. */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
