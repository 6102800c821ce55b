import { Menu, nativeImage, Tray } from 'electron';
import type { NativeImage } from 'electron';
import { drawIcon } from './tray-icon.ts';
import { trayMenu, trayStatus, trayTitle } from './tray-words.ts';
import type { TrayCounts, TrayItem } from './tray-words.ts';

/** The scales that screens have; the system takes the picture that fits. */
const SCALES = [1, 1.25, 1.5, 2, 3];
const SIZE_POINTS = 16;

/** What an entry of the icon's menu does; none of them decides anything. */
export type TrayActions = Readonly<Record<NonNullable<TrayItem>['does'], () => void>>;

/** The icon that stays when the window is closed. */
export interface ShownTray {
  update(counts: TrayCounts): void;
  /** Takes it away, so that nothing is left beside the clock of a program that is gone. */
  remove(): void;
}

/** Shows the icon. A click opens the window; on macOS and Linux it opens the menu, as everything there does. */
export function showTray(platform: NodeJS.Platform, actions: TrayActions): ShownTray {
  const icons = { plain: iconOf(platform, false), marked: iconOf(platform, true) };
  const tray = new Tray(icons.plain);
  if (platform === 'win32') tray.on('click', actions.open);
  return {
    update(counts) {
      tray.setImage(counts.needsYou > 0 ? icons.marked : icons.plain);
      tray.setToolTip(`Fencepost: ${trayStatus(counts)}`);
      if (platform === 'darwin') tray.setTitle(trayTitle(counts));
      // Linux takes a menu as it was when it was set, so it is made anew.
      tray.setContextMenu(menuOf(counts, actions));
    },
    remove: () => tray.destroy(),
  };
}

function menuOf(counts: TrayCounts, actions: TrayActions): Menu {
  return Menu.buildFromTemplate([
    { label: trayStatus(counts), enabled: false },
    { type: 'separator' },
    ...trayMenu(counts).map((item) =>
      item === null
        ? ({ type: 'separator' } as const)
        : { id: item.does, label: item.label, click: () => actions[item.does]() },
    ),
  ]);
}

/** On macOS the bar colours the icon; elsewhere it has a colour that is seen on light and dark. */
function iconOf(platform: NodeJS.Platform, isMarked: boolean): NativeImage {
  const ink = platform === 'darwin' ? 'template' : 'own';
  const image = nativeImage.createEmpty();
  for (const scaleFactor of SCALES) {
    const { pixels, size } = drawIcon(Math.round(SIZE_POINTS * scaleFactor), { ink, isMarked });
    const picture = nativeImage.createFromBitmap(pixels, { width: size, height: size, scaleFactor });
    image.addRepresentation({ scaleFactor, width: size, height: size, buffer: picture.toPNG({ scaleFactor }) });
  }
  image.setTemplateImage(platform === 'darwin');
  return image;
}

/** The mark that Windows lays over the window's icon in the bar. */
export function overlayIcon(): NativeImage {
  const { pixels, size } = drawIcon(SIZE_POINTS, { ink: 'own', isMarked: true });
  return nativeImage.createFromBitmap(pixels, { width: size, height: size });
}
