import { createElement, type ReactNode, type SVGProps } from 'react';

interface IconProps extends Omit<SVGProps<SVGSVGElement>, 'stroke'> {
  /** In pixels. */
  size?: number;
  /** The stroke width, on the grid of 24. */
  stroke?: number;
}
export type Icon = (props: IconProps) => ReactNode;

/**
 * Our own icons: lines on a grid of 24, at least two from each edge. They only repeat the text beside them, so screen readers skip them.
 * Without JSX, because tests read the list of screens, with its icons, in Node.
 */
export function icon(...paths: readonly string[]): Icon {
  return function LineIcon({ size = 20, stroke = 2, ...rest }) {
    const frame = { viewBox: '0 0 24 24', width: size, height: size, fill: 'none', stroke: 'currentColor' };
    const line = { strokeWidth: stroke, strokeLinecap: 'round', strokeLinejoin: 'round' } as const;
    return createElement(
      'svg',
      { ...frame, ...line, 'aria-hidden': true, focusable: false, ...rest },
      paths.map((path) => createElement('path', { key: path, d: path })),
    );
  };
}

const dot = (x: number, y: number) => `M${x} ${y}h.01`;
const bubble = 'M4 5.5h16v11h-8.5l-4.5 4v-4h-3z';

export const IconBrandDiscord = icon(bubble, dot(9, 11), dot(15, 11));
export const IconBrandReddit = icon(
  'M12 9c4.7 0 8 2.3 8 5.3s-3.3 5.2-8 5.2s-8-2.2-8-5.2s3.3-5.3 8-5.3z',
  'M12 9l1-4.5l3.5 .8',
  dot(9, 13.5),
  dot(15, 13.5),
  'M9.5 16.5c1.5 .8 3.5 .8 5 0',
);
export const IconBrandTelegram = icon('M21 4l-18 7.5l6 2l2 6l3-4l5 3.5z', 'M9 13.5l12-9.5');
const IconWallet = icon(
  'M4 7.5h14.5a1.5 1.5 0 0 1 1.5 1.5v9a1.5 1.5 0 0 1-1.5 1.5h-13a1.5 1.5 0 0 1-1.5-1.5z',
  'M4 7.5l11-3v3',
  dot(16, 13.5),
);
const IconPasskey = icon(
  'M10 4a3.5 3.5 0 1 0 0 7a3.5 3.5 0 0 0 0-7z',
  'M3.5 19.5c0-3.3 2.9-5.5 6.5-5.5c1 0 2 .2 2.8 .5',
  'M17.5 11.5a2.5 2.5 0 0 0-1 4.8v4.2l1.5-1.3l-1-1.2l1-1.7a2.5 2.5 0 0 0-.5-4.8z',
);

const methodIcons: Readonly<Record<string, Icon>> = {
  discord: IconBrandDiscord,
  telegram: IconBrandTelegram,
  reddit: IconBrandReddit,
  passkey: IconPasskey,
};

/** The icon of a chat platform or sign-in method; a wallet for everything else. */
export function MethodIcon({ method, size = 20 }: { method: string; size?: number }) {
  const Mark = methodIcons[method] ?? IconWallet;
  return createElement('span', { className: 'icon letter' }, createElement(Mark, { size, stroke: 1.75 }));
}
