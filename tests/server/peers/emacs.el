;;; Runs inside Emacs: opens train.py, lets Eglot start `gpulint server`, and says what the editor then shows.
;;
;;   GPULINT=path/to/gpulint emacs --batch --load emacs.el
;;
;; Works in the current folder. Prints one line for each step.

(package-initialize)
(require 'eglot)
(setq eglot-sync-connect t
      eglot-autoshutdown t)
(add-to-list 'eglot-server-programs `(python-mode . (,(getenv "GPULINT") "server")))

(defun wait (what ready)
  "Wait until READY returns something, and return it; WHAT is named when it does not."
  (let ((end (+ (float-time) 60)) found)
    (while (not (setq found (funcall ready)))
      (when (> (float-time) end)
        (princ (format "waited in vain for %s\n" what))
        (kill-emacs 1))
      (accept-process-output nil 0.05))
    found))

(find-file "train.py")
(call-interactively #'eglot)
(princ "client eglot\n")
(flymake-mode 1)

(let* ((finding (wait "the finding"
                      (lambda ()
                        (flymake-start)
                        (car (flymake-diagnostics)))))
       (server (eglot-current-server)))
  (goto-char (flymake-diagnostic-beg finding))
  (princ (format "found on line %d: %s\n" (line-number-at-pos)
                 (and (string-match "missing-device-order" (flymake-diagnostic-text finding)) "missing-device-order")))
  (let* ((hover (jsonrpc-request server :textDocument/hover (eglot--TextDocumentPositionParams)))
         (text (plist-get (plist-get hover :contents) :value)))
    (princ (format "hover %s\n" (replace-regexp-in-string "\\[\\([^]]*\\)\\]([^)]*)" "\\1" (car (split-string text "\n"))))))
  (let* ((actions (jsonrpc-request server :textDocument/codeAction
                                   (list :textDocument (eglot--TextDocumentIdentifier)
                                         :range (list :start (eglot--pos-to-lsp-position)
                                                      :end (eglot--pos-to-lsp-position))
                                         :context '(:diagnostics []))))
         (action (aref actions 0)))
    (princ (format "action %s\n" (plist-get action :title)))
    (unless (plist-get action :edit)
      (setq action (jsonrpc-request server :codeAction/resolve action)))
    (eglot--apply-workspace-edit (plist-get action :edit)))
  (goto-char (point-min))
  (forward-line 1)
  (princ (format "line %s\n" (buffer-substring (line-beginning-position) (line-end-position))))
  ;; Eglot tells of changes when nobody types, and nobody is there.
  (eglot--signal-textDocument/didChange)
  (wait "the finding to go" (lambda () (flymake-start) (null (flymake-diagnostics))))
  (princ "found nothing\n")
  (set-buffer-modified-p nil)
  (eglot-shutdown server))
(kill-emacs 0)
