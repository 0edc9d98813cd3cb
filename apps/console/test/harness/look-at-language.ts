import type { Page } from 'playwright-core';
import { pseudoText } from '../../src/messages/pseudo-text.ts';

/** Names and data of the sample pages, and the names of products and chains, which no catalogue translates. */
const data = [
  'Latchkey|Cat Café|Cats of the World|app\\.cats\\.example|alice|Cat Club|Phone|Old laptop|Test Fox|Gold|Friend|Cat club',
  'vault|gold-lounge',
  'openid profile',
  // Types of events, as receivers of webhooks know them.
  '(?:member|change-set|role|rule|community|client-app|organization)\\.[a-z-]+',
  'https://[a-z]+\\.example[\\w/-]*',
  'Discord|Telegram|Reddit|Matrix|Ethereum|Solana|Tezos|Flow|NEAR|Bitcoin|XRP Ledger|TON|WalletConnect|Base58|Base64|JSON',
  '0x[0-9A-Fa-f…]+|[1-9A-HJ-NP-Za-km-z]{32,}|0x…',
  // Dates, which the pseudo-locale writes in English: `Nov 2, 2026, 9:30 AM`, `Monday, November 2, 2026 at 9:30:00 AM UTC`.
  '[A-Z][a-z]{2} \\d+(?:, \\d{4})?(?:, \\d+:\\d\\d\\s[AP]M(?: [A-Z]{2,5}(?:[+-][\\d:]+)?)?)?',
  '[A-Z][a-z]+day, [A-Z][a-z]+ \\d+, \\d{4} at \\d+:\\d\\d:\\d\\d\\s[AP]M [A-Z]{2,5}(?:[+-][\\d:]+)?',
  // Written by the server: what scopes allow, what roles need, and what was found.
  'at least \\d (?:CAT on Ethereum|DOG on Base)|CAT|The node of Base did not respond\\.|A guest pass gives you this role\\.',
  'know which account you are|read the (?:wallets|communities) you .*',
];

/** What stands on screens for admins and the operator as it is called elsewhere, or as it has to be typed. */
const dataOfAdmins = [
  '(?:Africa|America|Antarctica|Arctic|Asia|Atlantic|Australia|Europe|Indian|Pacific)/[\\w/+-]+|^UTC$', // Time zones.
  '(?<=, | )(?:and|or)(?= )', // Lists of names, which the browser joins in English.
  'GET /communities/\\{id\\}/tpcs|\\{ "items": \\[ … \\] \\}', // Where an export comes from, and what it looks like.
  'latchkey\\.yaml|webhook-id|OAuth2 > Redirects', // A file, a header, a place in Discord’s settings.
  '(?<= )delete(?= )', // The word to type before a community is deleted.
  '^test$', // The name of the key that the operator is signed in with.
];

function escapePattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

/** A text as it is in English, or in the pseudo-locale. */
export function inEitherLocale(text: string): RegExp {
  return new RegExp(`^(?:${[text, String(pseudoText(text))].map(escapePattern).join('|')})$`, 'u');
}

/** What `Loading` says, in either locale. */
export const saysLoading = new RegExp(
  `^(?:Loading|${escapePattern(String(pseudoText('Loading')).slice(0, -1))}) .* …`,
  'u',
);

/**
 * What a page in the pseudo-locale shows with plain letters, two or more: text that is in no catalogue. The choice of a language names each
 * in itself; a field that measures the height of another is not seen. `told` are texts that the server has told the page.
 */
export function findPlainText(page: Page, told: Iterable<string> = []): Promise<string[]> {
  const longestFirst = [...told].toSorted((a, b) => b.length - a.length).map(escapePattern);
  return page.evaluate(
    (names) => {
      const isData = new RegExp(names, 'gu');
      const isLeftOut = (element: Element | null) =>
        element?.closest('option, script, pre, code, .letter, textarea[aria-hidden]') !== null;
      // What is in a field was typed, or is a file or an example to start from.
      const isTyped = (element: Element | null) => element?.tagName === 'TEXTAREA';
      const found: string[] = [];
      const note = (text: string, element: Element | null) => {
        const left = text.replace(isData, '');
        if (/[A-Za-z]{2}/.test(left) && !isLeftOut(element)) found.push(text.trim());
      };
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      while (walker.nextNode())
        if (
          walker.currentNode.parentElement?.closest('noscript') === null &&
          !isTyped(walker.currentNode.parentElement)
        )
          note(walker.currentNode.textContent ?? '', walker.currentNode.parentElement);
      for (const element of document.body.querySelectorAll('[aria-label], [title], [placeholder], [alt]'))
        for (const name of ['aria-label', 'title', 'placeholder', 'alt'])
          note(element.getAttribute(name) ?? '', element);
      return found;
    },
    [...longestFirst, ...data, ...dataOfAdmins].join('|'),
  );
}

/** Texts of a catalogue that are cut off or stick out, also where a name may be cut off on purpose. For the pseudo-locale. */
export function findCutText(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.body.querySelectorAll(':not(textarea)')]
      .filter((part) =>
        [...part.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && /[[\]]/.test(node.textContent ?? '')),
      )
      .filter((part) => part.checkVisibility() && part.clientWidth > 1 && part.scrollWidth > part.clientWidth + 1)
      .filter((part) => getComputedStyle(part).display !== 'inline')
      .map((part) => `${part.tagName} ${part.scrollWidth} > ${part.clientWidth}: ${part.textContent?.slice(0, 60)}`),
  );
}

/** What is wider than its place: the page itself, and texts of buttons, labels and headings that are cut off or stick out. */
export function findOverflow(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const parts = [
      document.documentElement,
      ...document.querySelectorAll('button, a, label, h1, h2, h3, legend, p, small, summary'),
    ];
    return (
      parts
        .filter((part) => part.checkVisibility() && part.scrollWidth > part.clientWidth + 1)
        // Inline elements have no width of their own, and names are cut off on purpose.
        .filter((part) => getComputedStyle(part).display !== 'inline' && part.closest('.short, .clamped') === null)
        .filter((part) => part.querySelector('.short, .clamped') === null)
        .map((part) => `${part.tagName} ${part.scrollWidth} > ${part.clientWidth}: ${part.textContent?.slice(0, 60)}`)
    );
  });
}
