import useBaseUrl from '@docusaurus/useBaseUrl';
import { Children, type ReactNode } from 'react';
import styles from './screenshot.module.css';

interface Screenshot {
  /** A name from the list in apps/portal/pictures. */
  of: string;
  /** What the picture shows. */
  alt?: string;
  /** Says it below the picture instead. */
  caption?: string;
  /** Width and height of each theme's picture, which the build fills in. */
  light?: string;
  dark?: string;
}

/** A screenshot in the reader's theme. The other one is not laid out, so it is not loaded either. */
export function Screenshot({ of, alt = '', caption, light = '', dark = '' }: Screenshot) {
  const folder = useBaseUrl('/img/screens/');
  return (
    <figure className={styles.figure}>
      <Picture src={`${folder}${of}.light.webp`} alt={alt} size={light} shownIn="light" />
      <Picture src={`${folder}${of}.dark.webp`} alt={alt} size={dark} shownIn="dark" />
      {caption !== undefined && <figcaption>{caption}</figcaption>}
    </figure>
  );
}

/** A journey through the product, picture by picture, in a strip that scrolls on its own. On paper its frames stand below each other. */
export function Recording({ title, children }: { title?: string; children?: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
    <section className={styles.recording} aria-label={title} tabIndex={0}>
      <ol>
        {Children.map(children, (frame) => (
          <li>{frame}</li>
        ))}
      </ol>
    </section>
  );
}

interface PictureParts {
  src: string;
  alt: string;
  size: string;
  shownIn: 'light' | 'dark';
}

function Picture({ src, alt, size, shownIn }: PictureParts) {
  const [width, height] = size.split('x');
  return (
    <img
      className={styles[shownIn]}
      data-shown-in={shownIn}
      src={src}
      alt={alt}
      width={width}
      height={height}
      loading="lazy"
      decoding="async"
    />
  );
}
