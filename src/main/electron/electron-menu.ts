import { app, Menu } from 'electron';
import type { MenuItemConstructorOptions } from 'electron';
import { layerPath, PLACES } from '../../shared/contract/places.ts';
import { acceleratorOf, shortcutNamed } from '../../shared/contract/shortcuts.ts';
import type { ShortcutName } from '../../shared/contract/shortcuts.ts';

/** Opens a place of the window by its address. */
export type OpenPlace = (place: string) => void;

/** The system's own menu, by roles: its words, keys and order are the platform's. Ours only open places. */
export function installMenu(platform: NodeJS.Platform, openPlace: OpenPlace): void {
  Menu.setApplicationMenu(Menu.buildFromTemplate(menuTemplate(platform, openPlace)));
}

function menuTemplate(platform: NodeJS.Platform, openPlace: OpenPlace): MenuItemConstructorOptions[] {
  const isMac = platform === 'darwin';
  const developer: MenuItemConstructorOptions[] = app.isPackaged
    ? []
    : [{ type: 'separator' }, { role: 'reload' }, { role: 'toggleDevTools' }];
  return [
    ...(isMac ? ([{ role: 'appMenu' }] satisfies MenuItemConstructorOptions[]) : []),
    { label: 'File', submenu: [isMac ? { role: 'close' } : { role: 'quit' }] },
    { role: 'editMenu' },
    {
      label: 'View',
      submenu: [
        { role: 'resetZoom' },
        { role: 'zoomIn' },
        { role: 'zoomOut' },
        { type: 'separator' },
        { role: 'togglefullscreen' },
        ...developer,
      ],
    },
    {
      label: 'Go',
      submenu: [
        placeItem('palette', layerPath('palette'), openPlace),
        { type: 'separator' },
        ...PLACES.slice(0, 9).map(({ path }, index) => placeItem(`place-${index + 1}`, path, openPlace)),
      ],
    },
    { role: 'windowMenu' },
    { role: 'help', submenu: [placeItem('help', layerPath('help'), openPlace), { role: 'about' }] },
  ];
}

/**
 * One line of the table of shortcuts. The page hears its key first and takes it, so the menu's own is for when no page does:
 * while it loads, or on macOS with no window open.
 */
function placeItem(name: ShortcutName, place: string, openPlace: OpenPlace): MenuItemConstructorOptions {
  const shortcut = shortcutNamed(name);
  const accelerator = acceleratorOf(shortcut);
  const label = name === 'help' ? 'Keys' : shortcut.does;
  return { id: name, label, click: () => openPlace(place), ...(accelerator === null ? {} : { accelerator }) };
}
