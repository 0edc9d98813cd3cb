import { icon } from '../../parts/line-icon.ts';

const dot = (x: number, y: number) => `M${x} ${y}h.01`;
const folder = 'M3 7.5a2 2 0 0 1 2-2h4l2 2.5h8a2 2 0 0 1 2 2v7a2 2 0 0 1-2 2h-14a2 2 0 0 1-2-2z';
const speaker = 'M4 9.5h3l5-4v13l-5-4h-3z';

export const IconArrowBackUp = icon('M8 5l-4.5 4.5l4.5 4.5', 'M4 9.5h10a5 5 0 0 1 0 10h-3');
export const IconArrowDown = icon('M12 4.5v15', 'M6 13.5l6 6l6-6');
export const IconArrowForwardUp = icon('M16 5l4.5 4.5l-4.5 4.5', 'M20 9.5h-10a5 5 0 0 0 0 10h3');
export const IconArrowUp = icon('M12 19.5v-15', 'M6 10.5l6-6l6 6');
export const IconFolderPlus = icon(folder, 'M12 11v5', 'M9.5 13.5h5');
export const IconFolderX = icon(folder, 'M10 11.5l4 4', 'M14 11.5l-4 4');
export const IconGripVertical = icon(dot(9, 6), dot(15, 6), dot(9, 12), dot(15, 12), dot(9, 18), dot(15, 18));
export const IconIndentDecrease = icon('M20 6h-9', 'M20 12h-7', 'M20 18h-9', 'M8 8.5l-4 3.5l4 3.5');
export const IconIndentIncrease = icon('M20 6h-9', 'M20 12h-7', 'M20 18h-9', 'M4 8.5l4 3.5l-4 3.5');
export const IconVolume = icon(speaker, 'M15.5 9.5c1.3 1.5 1.3 3.5 0 5', 'M18 7c2.7 3 2.7 7 0 10');
export const IconVolumeOff = icon(speaker, 'M16 10l4.5 4.5', 'M20.5 10l-4.5 4.5');
