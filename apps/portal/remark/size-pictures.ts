import { existsSync } from 'node:fs';
import { density, pictureFile, type Size, sizeOfWebp, type Theme } from '../pictures/files.ts';
import { attributeOf, elementName, type Node, replaceNodes } from './tree.ts';

/** Tells each `<Screenshot of="…" />` how large its two pictures are, so that nothing moves when they come. */
export default function sizePictures() {
  return (tree: Node) => {
    replaceNodes(tree, (node) => {
      if (elementName(node) !== 'Screenshot') return undefined;
      const name = attributeOf(node, 'of') ?? '';
      if ((attributeOf(node, 'alt') ?? '') === '')
        throw new Error(`The picture "${name}" has no alt, which says what is to be seen.`);
      const [light, dark] = [sizeIn(name, 'light'), sizeIn(name, 'dark')];
      const attributes = [
        ...(node.attributes ?? []),
        { type: 'mdxJsxAttribute', name: 'light', value: `${light.width}x${light.height}` },
        { type: 'mdxJsxAttribute', name: 'dark', value: `${dark.width}x${dark.height}` },
      ];
      return [{ ...node, attributes }];
    });
  };
}

function sizeIn(name: string, theme: Theme): Size {
  const file = pictureFile(name, theme);
  if (!existsSync(file)) throw new Error(`There is no picture "${name}" in ${theme}. apps/portal/pictures lists them.`);
  const { width, height } = sizeOfWebp(file);
  return { width: Math.round(width / density), height: Math.round(height / density) };
}
