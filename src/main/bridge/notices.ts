import type { Problem } from '../../shared/contract/errors.ts';
import { err, ok } from '../../shared/lib/result.ts';
import type { Result } from '../../shared/lib/result.ts';
import type { HostControl } from '../host/control.ts';
import { noticeFacts, noticeMemorySchema } from '../views/notices.ts';
import type { NoticeFacts, NoticeMemory } from '../views/notices.ts';
import { viewSource } from '../views/view-source.ts';
import { NO_STORE } from './answers.ts';

/** The name of the setting that keeps what was told. */
const MEMORY_SETTING = 'desktop-told';

/** What the shell tells the system of. No route leads here: the window has no use for it. */
export interface NoticeSource {
  read(): Promise<Result<NoticeFacts, Problem>>;
  /** Keeps what was told. It comes before the telling, so that a crash between the two never tells twice. */
  remember(memory: NoticeMemory): Promise<Result<null, Problem>>;
}

/** Reads it from the record, and keeps it there. */
export function noticeSource(control: HostControl): NoticeSource {
  return {
    async read() {
      const circle = (await control.sharing?.devices.circle()) ?? null;
      const source = viewSource(control);
      if (source === null) return err(NO_STORE);
      return ok(noticeFacts(source, { circle, status: control.sync?.status() ?? null, memory: memoryOf(control) }));
    },
    remember: (memory) => control.writeSetting(MEMORY_SETTING, JSON.stringify(memory)),
  };
}

/** What does not read back is as good as nothing: what is old by then is known without being told. */
function memoryOf(control: HostControl): NoticeMemory | null {
  try {
    const kept = noticeMemorySchema.safeParse(JSON.parse(control.readSetting(MEMORY_SETTING) ?? 'null'));
    return kept.success ? kept.data : null;
  } catch {
    return null;
  }
}
