import { existsSync } from 'node:fs';
import { density, pictureFile, type Size, sizeOfWebp, type Theme } from '../pictures/files.ts';
import { recordings } from '../pictures/recordings.ts';
import { attributeOf, elementName, type Node, replaceNodes } from './tree.ts';

/**
 * Tells each `<Screenshot of="…" />` how large its two pictures are, so that nothing moves when they load. A `<Recording of="…" />` gets its
 * title, and a Screenshot with a caption for each of its frames.
 */
export default function sizePictures() {
  return (tree: Node) => {
    replaceNodes(tree, (node) => {
      const element = elementName(node);
      if (element !== 'Screenshot' && element !== 'Recording') return undefined;
      const name = attributeOf(node, 'of') ?? '';
      if (element === 'Screenshot') {
        if ((attributeOf(node, 'alt') ?? '') === '')
          throw new Error(`The picture "${name}" has no alt, which says what is to be seen.`);
        return [{ ...node, attributes: [...(node.attributes ?? []), ...sizesOf(name)] }];
      }
      const recording = recordings.find((one) => one.name === name);
      if (recording === undefined)
        throw new Error(`There is no recording "${name}". apps/portal/pictures/recordings.ts lists them.`);
      const children = recording.frames.map(({ picture, caption }) => ({
        type: 'mdxJsxFlowElement',
        name: 'Screenshot',
        attributes: [...attributes({ of: picture, caption }), ...sizesOf(picture)],
      }));
      return [{ ...node, attributes: attributes({ title: recording.title }), children }];
    });
  };
}

function sizesOf(name: string) {
  const [light, dark] = [sizeIn(name, 'light'), sizeIn(name, 'dark')];
  return attributes({ light: `${light.width}x${light.height}`, dark: `${dark.width}x${dark.height}` });
}

function attributes(values: Readonly<Record<string, string>>) {
  return Object.entries(values).map(([name, value]) => ({ type: 'mdxJsxAttribute', name, value }));
}

function sizeIn(name: string, theme: Theme): Size {
  const file = pictureFile(name, theme);
  if (!existsSync(file)) throw new Error(`There is no picture "${name}" in ${theme}. apps/portal/pictures lists them.`);
  const { width, height } = sizeOfWebp(file);
  return { width: Math.round(width / density), height: Math.round(height / density) };
}
