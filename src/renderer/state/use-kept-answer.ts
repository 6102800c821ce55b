import { useState } from 'react';

/** The newest answer; while there is none to a changed question, the one before it, so that nothing flashes. */
export function useKeptAnswer<Answer>(answer: Answer | null): Answer | null {
  const [kept, setKept] = useState(answer);
  if (answer !== null && answer !== kept) setKept(answer);
  return answer ?? kept;
}
