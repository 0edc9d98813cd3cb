import useBaseUrl from '@docusaurus/useBaseUrl';
import styles from './screenshot.module.css';

interface Screenshot {
  /** A name from the list in apps/portal/pictures. */
  of: string;
  /** What the picture shows. */
  alt: string;
  /** Width and height of each theme's picture, which the build fills in. */
  light?: string;
  dark?: string;
}

/** A screenshot in the reader's theme. The other one is not laid out, so it is not loaded either. */
export function Screenshot({ of, alt, light = '', dark = '' }: Screenshot) {
  const folder = useBaseUrl('/img/screens/');
  return (
    <figure className={styles.figure}>
      <Picture src={`${folder}${of}.light.webp`} alt={alt} size={light} shownIn="light" />
      <Picture src={`${folder}${of}.dark.webp`} alt={alt} size={dark} shownIn="dark" />
    </figure>
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
