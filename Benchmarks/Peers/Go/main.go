// Command peer takes sealed batches as Sojourn does, made of net/http, crypto/aes, compress/gzip, encoding/json
// and mattn/go-sqlite3. No sessions, no reports, no other profiles, and of the rules for JSON those that the decoder
// keeps.
package main

import (
	"encoding/hex"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	port := flag.Int("port", 0, "of 127.0.0.1; 0: any that is free")
	data := flag.String("data", "", "folder of the database, made where it is missing")
	key := flag.String("key", "", "id of the key that bodies are sealed with")
	secret := flag.String("secret", "", "that key: 64 hex digits")
	flag.Parse()

	bytes, err := hex.DecodeString(*secret)
	if err != nil || len(bytes) != 32 {
		log.Fatal("the secret has to have 64 hex digits")
	}
	if err := serve(*port, *data, contentKey{[]byte(*key), bytes}); err != nil {
		log.Fatal(err)
	}
}

func serve(port int, folder string, key contentKey) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	devices, err := newDeviceHash(folder)
	if err != nil {
		return err
	}
	store, err := openStore(folder)
	if err != nil {
		return err
	}
	defer store.close()
	writer := newBatchWriter(store)
	listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "listening on %s\n", listener.Addr())
	server := &http.Server{Handler: &intake{key, devices, writer}}
	go func() {
		asked := make(chan os.Signal, 1)
		signal.Notify(asked, os.Interrupt, syscall.SIGTERM)
		<-asked
		server.Close()
	}()
	if err := server.Serve(listener); err != http.ErrServerClosed {
		return err
	}
	return nil
}
